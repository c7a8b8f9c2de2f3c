"""Pictures that rules list: files that are read, copies that are found, posts that are held or removed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from moderation import enqueue
from moderation.models import (
    AuditEntry,
    Case,
    Decision,
    Evidence,
    ListedPicture,
    PictureMatch,
    Platform,
    Revision,
    Score,
    User,
)
from moderation.models.platforms import Collecting
from moderation.operations import rules
from moderation.operations.erasure import erase
from moderation.operations.evidence import collect, mattering, opening
from moderation.operations.evidence.answers import Answer
from moderation.operations.evidence.fetch import Means
from moderation.operations.scoring import score
from moderation.operations.similarity import listed_pictures
from moderation.operations.similarity.listed_pictures import NotAList
from moderation.queries.rules import targets
from tests.moderation.conftest import Post_
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.conftest import Impose
from tests.moderation.operations.similarity.test_similarity import apart, some_hash

HASH, OTHER = some_hash(), some_hash()
TOO_MUCH = "Line 1: more than a hash, a category of 100 and a note of 500 characters."
HOLD: dict[str, Any] = {"kind": "picture", "value": HASH, "effect": "hold", "expires_at": later(9_000)}


@pytest.fixture(autouse=True)
def _collecting(platform: Platform, fake_scorer: FakeScorer, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_scorer.default = 0.01
    Platform.objects.filter(pk=platform.pk).update(collects_evidence=Collecting.ON)
    monkeypatch.setattr(enqueue, "messages", dict)


def shown(
    post: Post_, hash_: str, *, at: datetime = AT, quality: int = 100, turned: Sequence[str] = ()
) -> Revision:
    """Store a post with a picture and score it; then its picture is read, and the post scored again."""
    url = f"http://pictures.example/{Evidence.objects.count()}.png"
    facts = {"format": "PNG", "pdq": hash_, "pdq_quality": quality, "pdq_turned": list(turned)}
    means = Means(
        get=lambda *_given, **_more: Answer(status=200, content_type="image/png"),
        read=lambda *_given, **_more: facts,
    )
    made = post(text="look", media_urls=(url,), external_id=url, at=at)
    revision = Revision.objects.get(post=made)
    score.run(revision_ids=[revision.pk], at=at)
    opening.run(revision_ids=[revision.pk], at=at)
    collect.run(evidence_id=Evidence.objects.get(url=url).pk, at=at, means=means)
    score.run(revision_ids=[revision.pk], at=at + timedelta(seconds=1))
    revision.refresh_from_db()
    return revision


class TestRead:
    @pytest.mark.parametrize(
        ("data", "listed"),
        [
            (f"{HASH}\n\n {OTHER.upper()} \r\n{HASH}\n", [(HASH, "", ""), (OTHER, "", "")]),
            (
                f'\ufeffHash,Category,Note\n{HASH},scam,"one, of\nmany"\n{OTHER}',
                [(HASH, "scam", "one, of\nmany"), (OTHER, "", "")],
            ),
        ],
    )
    def test_takes_a_hash_a_line_or_csv(self, data: str, listed: list[tuple[str, str, str]]) -> None:
        found = listed_pictures.read(data.encode())

        assert [(one.hash, one.category, one.note) for one in found] == listed

    @pytest.mark.parametrize(
        ("data", "told"),
        [
            (f"{HASH}\n{HASH[1:]}\n".encode(), f"Line 2: “{HASH[1:]}” is no PDQ hash of 64 hex digits."),
            (b"hash\n\n<script>\n", "Line 3: “<script>” is no PDQ hash of 64 hex digits."),
            (f"{HASH},a,b,c".encode(), TOO_MUCH),
            (f"{HASH},{'a' * 101}".encode(), TOO_MUCH),
            (f'{HASH}\n{OTHER},"a'.encode(), "Line 2: unexpected end of data."),
            (b"hash,category,note\n", "The file has no hashes."),
            (b"\xff\xfe", "The file is no text in UTF-8."),
        ],
    )
    def test_names_the_line_and_what_is_wrong_there(self, data: bytes, told: str) -> None:
        with pytest.raises(NotAList, match=f"^{told}$".replace("(", r"\(")):
            listed_pictures.read(data)

    def test_takes_no_more_than_can_be_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(listed_pictures, "MOST", 1)

        with pytest.raises(NotAList, match="Line 3: a list has at most 1 hashes"):
            listed_pictures.read(f"hash\n{HASH}\n{OTHER}".encode())


class TestMatch:
    @pytest.mark.parametrize(
        ("picture", "is_copy"),
        [
            ({"hash_": apart(HASH, 31)}, True),
            ({"hash_": apart(HASH, 32)}, False),
            ({"hash_": OTHER, "turned": [some_hash(), apart(HASH, 31)]}, True),
            ({"hash_": HASH, "quality": 49}, False),
        ],
    )
    @pytest.mark.parametrize("is_read_first", [True, False])
    def test_finds_copies_whichever_comes_first(
        self, post: Post_, impose: Impose, picture: dict[str, Any], is_copy: bool, is_read_first: bool
    ) -> None:
        if is_read_first:
            shown(post, **picture)
        impose(kind="picture", value=HASH)
        if not is_read_first:
            shown(post, **picture)

        assert PictureMatch.objects.exists() is is_copy
        tried = targets.dry_run(wanted=targets.target(kind="picture", value=HASH), at=later(1))
        assert tried.figures.posts == int(is_copy)


class TestInForce:
    def test_a_ban_removes_a_post_once_its_picture_is_read_and_its_score_has_seen_it(
        self, post: Post_, impose: Impose
    ) -> None:
        ban = impose(kind="picture", value=HASH)

        revision = shown(post, apart(HASH, 5), at=later(1))

        assert [one.ban_id for one in Score.objects.filter(revision=revision).order_by("pk")] == [
            None,
            ban.pk,
        ]
        last = Decision.objects.order_by("-pk")[0]
        assert (last.verdict, last.reason) == ("spam", "banned_picture")

        assert mattering.unseen([revision.pk], at=later(9)) == set()
        Score.objects.filter(revision=revision).update(record={"evidence": []})
        assert mattering.unseen([revision.pk], at=later(9)) == {revision.pk}

    def test_a_hold_brings_it_to_a_person(self, post: Post_, impose: Impose) -> None:
        impose(**HOLD)

        revision = shown(post, HASH, at=later(1))

        assert Case.objects.get(post=revision.post).state == "open"

    def test_what_a_list_caught_is_decided_again_when_it_is_activated(self, post: Post_, lead: User) -> None:
        revision = shown(post, HASH)
        given: dict[str, Any] = {"kind": "pictures", "value": "Scams", "reason": "Known", "actor": lead}
        pictures = [ListedPicture(hash=OTHER), ListedPicture(hash=apart(HASH, 9))]
        drafted = rules.draft(**given, pictures=pictures, at=later(2))
        assert Score.objects.latest("pk").ban_id is None

        rules.activate(rule_id=drafted.pk, actor=lead, at=later(3), requeue=rules.Requeue.RECENT)
        score.run(revision_ids=[revision.pk], at=later(4))

        assert Score.objects.latest("pk").ban_id == drafted.pk
        assert Decision.objects.latest("pk").reason == "banned_pictures"
        assert AuditEntry.objects.get(action="rule.drafted").details["pictures"] == 2

    @pytest.mark.parametrize("given", [{"kind": "pictures"}, {"kind": "picture", "effect": "allow"}])
    def test_nothing_else_is_a_rule_about_pictures(self, impose: Impose, given: dict[str, Any]) -> None:
        with pytest.raises((rules.NotATarget, rules.NotAllowable)):
            impose(value=HASH, expires_at=later(9), **given)


class TestErasure:
    def test_hashes_go_thirty_days_after_the_end_and_matches_with_the_post(
        self, post: Post_, impose: Impose, lead: User
    ) -> None:
        ban = impose(kind="picture", value=HASH)
        revision = shown(post, HASH, at=later(1))
        rules.lift(rule_id=ban.pk, actor=lead, at=later(2))

        erase.post(post_id=revision.post_id, at=later(3))
        rules.forget_ended(at=later(2) + timedelta(days=29))
        assert (ListedPicture.objects.count(), PictureMatch.objects.count()) == (1, 0)
        rules.forget_ended(at=later(2) + timedelta(days=30))

        assert not ListedPicture.objects.exists()
