"""The short way of reading a post reads what the serializer does; what it refuses: test_posts_refused.py."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from rest_framework.exceptions import ValidationError

from integrations.akismet import comments
from moderation.api.parsers import NotANumber
from moderation.api.serializers import incoming_post, posts
from moderation.api.serializers.fields import MAX_WHOLE_NUMBER
from moderation.operations.posts.incoming_post import IncomingParent, IncomingPost
from simulation import replay
from simulation.events import PostEvent
from simulation.world import World
from tests.moderation.api import conftest
from tests.moderation.api.conftest import LEAST

START = datetime(2026, 3, 1, tzinfo=UTC)
TIMES = st.sampled_from(
    ("2026-03-01T09:30:00Z", "2026-03-01t09:30:00.5+02:00", "20260301T093000Z", "1999-12-31T23:59:59-12:00")
)
ADDRESSES = st.sampled_from(("192.0.2.7", "2001:db8::1", "::ffff:192.0.2.7", "2001:0DB8:0:0::0001"))
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=200)
COUNTS = st.integers(0, MAX_WHOLE_NUMBER) | st.sampled_from((0, MAX_WHOLE_NUMBER))
URLS = st.lists(NAMES, max_size=3)
STEPS = st.lists(st.integers(0, 10_000), max_size=4).map(
    lambda times: [{"name": f"step-{number}", "at_ms": at} for number, at in enumerate(sorted(times))]
)
OPTIONAL: dict[str, SearchStrategy[Any]] = {
    "revision": st.integers(1, 9),
    "platform": st.just("reading"),
    "language": st.sampled_from(("", "en", "zh-Hant-TW")),
    "parent": st.fixed_dictionaries(
        {"external_id": NAMES.map(lambda name: f"{name[:190]} parent")},
        optional={
            "text": st.text("ab ü", max_size=500),
            "author": st.fixed_dictionaries(
                {"external_id": NAMES}, optional={"display_name": st.text("ab ü", max_size=200) | st.none()}
            ),
        },
    ),
    "ip": ADDRESSES,
    "ip_asn": COUNTS,
    "user_agent": st.text("ab ü", max_size=500),
    "links": URLS,
    "media_urls": URLS,
    "journey": STEPS,
    "shares": COUNTS,
    "comments": COUNTS,
}
OPTIONAL_OF_AUTHOR: dict[str, SearchStrategy[Any]] = {
    "display_name": st.text("ab ü", max_size=200),
    "created_at": TIMES,
    "email_domain": st.sampled_from(("mail.example", "ümail.example")),
    "friends": COUNTS,
    "followers": COUNTS,
    "is_verified": st.booleans(),
    "posts": COUNTS,
}
VALID = st.fixed_dictionaries(
    {
        "external_id": NAMES,
        "text": NAMES,
        "posted_at": TIMES,
        "author": st.fixed_dictionaries({"external_id": NAMES}, optional=OPTIONAL_OF_AUTHOR),
    },
    optional=OPTIONAL,
)
HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 5.0, 5.5, -0.0, 1e300, MAX_WHOLE_NUMBER, MAX_WHOLE_NUMBER + 1, 10**40),
    *("", " ", "\0", "a\0b", "\ud800", "5", "true", "x" * 64, "x" * 65, "x" * 200, "x" * 201, "x" * 501),
    *("x" * posts.MAX_URL_LENGTH, "x" * (posts.MAX_URL_LENGTH + 1)),
    *("a@b.example", "a b", "mail.example/", "é", "192.0.2.007", "fe80::1%eth0", "1", "::", "en_US", "-"),
    *("2026-03-01", "2026-03-01T09:30:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59"),
    *("20260301", "1989-12-31T23:59:59Z", "2026-W09-7T09:30Z"),
    *({"external_id": "a"}, {"external_id": "post"}, {"external_id": "a", "text": None, "author": None}),
    *({"external_id": "a", "text": "x" * 10_000}, {"external_id": "a", "text": "x" * 10_001}, {"text": "a"}),
    *({"external_id": None}, {"external_id": ""}, {"external_id": "a", "more": 1}),
    *({"external_id": "a", "text": "\0"}, {"external_id": "a", "text": 5}),
    *({"external_id": "a", "author": {}}, {"external_id": "a", "author": []}),
    *({"external_id": "a", "author": "a"}, {"external_id": "a", "author": {"external_id": 5}}),
    {"external_id": "a", "author": {"external_id": "b", "display_name": None}},
    {"external_id": "a", "author": {"external_id": "b", "display_name": "x" * 201}},
    {"external_id": "a", "author": {"external_id": "b", "more": "c"}},
    *([], [""], ["\0"], [None], [5], ["a"] * 20, ["a"] * 21, ["a"] * 101, "list", {}, {"name": "a"}),
    [{"name": "a", "at_ms": 5}, {"name": "b", "at_ms": 4}],
    [{"name": "a", "at_ms": True}],
    [{"name": "é", "at_ms": 1}],
    [{"name": "a", "at_ms": 1.0}],
    [{"name": "a", "at_ms": 1, "more": 1}],
    [{"name": "x" * 65, "at_ms": 1}],
    [{"name": "a", "at_ms": 1}] * 501,
    NotANumber(),
)

WHOLE = {name: value for name, value in conftest.WHOLE.items() if name != "transcripts"} | {
    "external_id": "post",
    "platform": "reading",
}
"""A post with every field that the short way reads."""


@st.composite
def nearly_valid(draw: DrawFn) -> Any:
    """A valid post, of which up to three fields are replaced, added or missing."""
    post: dict[str, Any] = draw(VALID)
    for _ in range(draw(st.integers(0, 3))):
        part = post["author"] if draw(st.booleans()) and type(post.get("author")) is dict else post
        names = (*OPTIONAL, *OPTIONAL_OF_AUTHOR, "external_id", "text", "posted_at", "author", "note", "")
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            part[name] = draw(st.sampled_from(HOSTILE))
        else:
            part.pop(name, None)
    return post


def carefully(data: Any, *, is_lenient: bool) -> IncomingPost | None:
    """None where the serializer refuses."""
    try:
        return incoming_post.careful(data, platform="reading", is_lenient=is_lenient)
    except ValidationError:
        return None


@pytest.fixture(scope="module")
def payloads() -> list[dict[str, Any]]:
    events = World(seed=11, run="reading").run(start=START, seconds_per_post=1, posts=300)
    return [json.loads(json.dumps(event.payload)) for event in events if isinstance(event, PostEvent)]


def agree(data: Any) -> None:
    """Check that the short way, if it takes this at all, takes it as the serializer does."""
    found = incoming_post.plain(data, platform="reading")
    if found is not None:
        assert found == carefully(data, is_lenient=False) == carefully(data, is_lenient=True)


class TestPlain:
    def test_reads_a_simulated_world_as_the_serializer_does(self, payloads: list[dict[str, Any]]) -> None:
        short = [incoming_post.plain(payload, platform="reading") for payload in payloads]

        assert short == [incoming_post.careful(payload, platform="reading") for payload in payloads]

    @pytest.mark.parametrize(
        ("field", "value"),
        [("shares", 5.0), ("note", None), ("language", None), ("revision", True), ("links", [""])],
    )
    def test_leaves_what_is_not_plain_to_the_serializer(
        self, payloads: list[dict[str, Any]], field: str, value: object
    ) -> None:
        changed = payloads[0] | {field: value}

        found = incoming_post.plain(changed, platform="reading")

        assert (found is None) is (field != "language")

    @settings(max_examples=300, deadline=None)
    @given(data=VALID)
    def test_reads_every_valid_post_and_alike(self, data: dict[str, Any]) -> None:
        found = incoming_post.plain(data, platform="reading")

        assert found is not None
        assert found == carefully(data, is_lenient=False)

    @pytest.mark.parametrize("name", [*OPTIONAL, "external_id", "text", "posted_at", "author", "note", ""])
    def test_agrees_on_every_hostile_value_of_a_field(self, name: str) -> None:
        for value in HOSTILE:
            agree(WHOLE | {name: value})

    @pytest.mark.parametrize("name", [*OPTIONAL_OF_AUTHOR, "external_id", "note", ""])
    def test_agrees_on_every_hostile_value_of_a_field_of_the_author(self, name: str) -> None:
        for value in HOSTILE:
            agree(WHOLE | {"author": WHOLE["author"] | {name: value}})

    def test_agrees_on_what_is_no_object(self) -> None:
        for value in HOSTILE:
            agree(value)

    @settings(max_examples=500, deadline=None)
    @given(data=nearly_valid())
    @example(data=LEAST | {"text": ""})
    def test_accepts_nothing_that_the_serializer_refuses_or_reads_otherwise(self, data: Any) -> None:
        agree(data)


class TestOtherWays:
    """What does not come through the API as JSON becomes the post that the same JSON would become."""

    def test_a_rehearsal_reads_a_world_as_the_api_does(self, payloads: list[dict[str, Any]]) -> None:
        assert [replay.incoming_post(payload) for payload in payloads] == [
            incoming_post.careful(payload, platform="reading") for payload in payloads
        ]

    @settings(max_examples=300, deadline=None)
    @given(
        form=st.fixed_dictionaries(
            {"comment_content": NAMES},
            optional={
                "comment_author": NAMES,
                "comment_author_email": st.sampled_from(("a@mail.example", "@", "none", "a@b@mail.example")),
                "comment_author_url": st.sampled_from(("", " ", "https://shop.example/", "x" * 5_000)),
                "comment_date_gmt": TIMES | st.sampled_from(("", "yesterday", "1980-01-01T00:00:00Z")),
                "user_ip": ADDRESSES | st.sampled_from(("", "nowhere", "fe80::1%eth0")),
                "user_agent": st.text("ab ü\0", max_size=600),
                "blog_lang": st.sampled_from(("", "en_us,fr_ca", "?", "de")),
            },
        )
    )
    def test_a_form_of_akismet_becomes_a_post_that_the_api_would_take(self, form: dict[str, str]) -> None:
        post = comments.post_of(form, at=START)
        names = ("external_id", "text", "ip", "user_agent", "language")
        body = {name: getattr(post, name) for name in names} | {
            "posted_at": post.posted_at.isoformat(),
            "author": {n: getattr(post.author, n) for n in ("external_id", "display_name", "email_domain")},
            "links": list(post.links),
        }

        assert incoming_post.read(body, platform="reading") == post


class TestParents:
    def test_are_read_with_what_is_told_of_them(self) -> None:
        found = incoming_post.plain(WHOLE, platform="reading")

        assert found is not None
        assert found.parent == IncomingParent(
            external_id="parent-0",
            text="Which cats do you know?",
            author_external_id="a-0",
            author_name="Editors",
        )

    @pytest.mark.parametrize("name", ["external_id", "text", "author", "more"])
    def test_agree_on_every_hostile_value_of_a_field(self, name: str) -> None:
        for value in HOSTILE:
            agree(WHOLE | {"parent": WHOLE["parent"] | {name: value}})

    @pytest.mark.parametrize("name", ["external_id", "display_name", "more"])
    def test_agree_on_every_hostile_value_of_a_field_of_the_author(self, name: str) -> None:
        parent = WHOLE["parent"]
        for value in HOSTILE:
            agree(WHOLE | {"parent": parent | {"author": parent["author"] | {name: value}}})

    def test_a_post_does_not_answer_itself(self) -> None:
        own = WHOLE | {"parent": {"external_id": WHOLE["external_id"]}}

        assert incoming_post.plain(own, platform="reading") is None
        with pytest.raises(ValidationError) as refusal:
            incoming_post.careful(own, platform="reading")
        assert refusal.value.get_codes() == {"parent": {"external_id": ["own_parent"]}}
