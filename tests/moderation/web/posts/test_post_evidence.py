"""What came with a post, on its page and under review: what its links lead to, and captions."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Evidence, Score, User
from moderation.models.cases import CaseReason
from moderation.models.evidence import EvidenceKind, EvidenceRole, EvidenceState
from moderation.operations import rules
from tests.moderation.carried_pictures import carry
from tests.moderation.conftest import Case_
from tests.moderation.web.conftest import read

BOTH_PAGES = pytest.mark.parametrize("address", ["/review/{case.pk}/", "/posts/{case.post_id}/"])
FACTS = {
    "title": "<b>Your parcel</b>",
    "text": "Pay <script>alert(1)</script> at http://takes.example/now",
    "article": "Pay",
    "forms": [{"action_host": "takes.example", "posts_elsewhere": True, "asks_password": True}],
    "downloads": [{"url": "http://lands.example/a.apk", "name": "a.apk"}],
    "differs_for_browser": True,
    "differs_from_preview": True,
}


@pytest.fixture
def case(open_case: Case_) -> Case:
    """A case whose first link leads elsewhere, and whose second one could not be reached."""
    found = open_case(text="Look", links=["http://short.example/x", "http://gone.example/"])
    page = {"kind": EvidenceKind.PAGE, "role": EvidenceRole.LINK}
    chain = [
        {"url": "http://short.example/x", "status": 302},
        {"url": "http://www.lands.example/pay", "status": 200},
    ]
    lands: dict[str, Any] = {"final_host": "www.lands.example", "final_domain": "lands.example"}
    carry(found, "http://short.example/x", facts=FACTS, chain=chain, **page, **lands)
    gone = [{"url": "http://gone.example/", "status": None}]
    carry(found, "http://gone.example/", state=EvidenceState.UNREACHABLE, chain=gone, **page)
    return found


@pytest.mark.parametrize("language", ["en", "de"])
@BOTH_PAGES
def test_pages_show_what_is_behind_links(address: str, language: str, case: Case, desk: Client) -> None:
    desk.cookies["django_language"] = language
    body = read(desk, address.format(case=case))

    said = {
        "en": [
            "Behind the links",
            "leads to <bdi>www.lands.example</bdi>",
            "asks for a password",
            "offers a file",
            "cloaked: people see another page",
            "preview does not match",
        ],
        "de": ["Hinter den Links", "führt zu <bdi>www.lands.example</bdi>", "fragt nach einem Passwort"],
    }
    assert [words for words in said[language] if words not in body] == []
    assert "could not be reached" in body or "nicht erreichbar" in body
    assert "&lt;b&gt;Your parcel&lt;/b&gt;" in body
    assert "<script>alert" not in body
    assert 'href="http://' not in body


@BOTH_PAGES
@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({}, False),
        ({"final_host": "lands.example"}, True),
        ({"facts": {"forms": [{"asks_password": True}]}}, True),
        ({"facts": {"downloads": [{"name": "a.apk"}]}}, True),
        ({"facts": {"differs_for_browser": True}}, True),
        ({"facts": {"differs_from_preview": True}}, True),
        ({"facts": {"text": "http://takes.example/now"}}, True),
    ],
    ids=["no warning", "elsewhere", "password", "file", "cloaked", "preview", "a rule"],
)
def test_first_page_has_a_key_and_is_open_with_a_warning(
    address: str, changes: dict[str, Any], is_open: bool, open_case: Case_, lead: User, desk: Client
) -> None:
    rules.impose(value="takes.example", reason="Scam", actor=lead, at=timezone.now())
    found = open_case(text="Look", links=["http://short.example/x", "http://second.example/"])
    page = {"kind": EvidenceKind.PAGE, "role": EvidenceRole.LINK}
    carry(found, "http://short.example/x", **page, **({"facts": {"title": "Shop"}} | changes))
    carry(found, "http://second.example/", facts=FACTS, **page)

    body = read(desk, address.format(case=found))

    [first, second] = body.split("Behind the links")[1].split('<details class="opened"')[1:3]
    assert (first.startswith(" open>"), second.startswith(" open>")) == (is_open, False)
    assert ('data-key="w"' in first, 'data-key="w"' in second) == (True, False)


@BOTH_PAGES
def test_both_pages_of_a_cloaked_link_are_one_row(address: str, case: Case, desk: Client) -> None:
    seen = {"title": "Casino", "text": "Win at the roulette", "differs_for_browser": True}
    browser = {"kind": EvidenceKind.BROWSER, "role": EvidenceRole.BROWSER}
    shown = carry(case, "http://short.example/x", facts=seen, final_host="casino.example", **browser)

    body = read(desk, address.format(case=case))

    assert body.count("cloaked: people see another page") == body.count("preview does not match") == 1
    assert "leads to <bdi>casino.example</bdi>" in body
    assert body.index("Win at the roulette") < body.index("What programs see:") < body.index("Your parcel")

    Evidence.objects.filter(pk=shown.pk).update(facts={"title": "Casino"})
    body = read(desk, address.format(case=case))
    assert "opened as a browser" in body
    assert "What programs see:" not in body


HEARD = {
    "source": "vosk: <i>small</i>",
    "seconds": 60.0,
    "cues": [
        {"start_ms": 900, "end_ms": 2_000, "text": "you have won"},
        {"start_ms": 61_500, "end_ms": 63_000, "text": "<b>write</b> to http://takes.example/now"},
    ],
    "text": "you have won\n<b>write</b> to http://takes.example/now",
    "is_cut": True,
}


@BOTH_PAGES
def test_pages_show_what_was_heard_with_its_times(address: str, case: Case, lead: User, desk: Client) -> None:
    rules.impose(value="takes.example", reason="Scam", actor=lead, at=timezone.now())
    Evidence.objects.filter(url="http://short.example/x").update(facts=HEARD)

    body = read(desk, address.format(case=case))

    assert re.search(r"Heard by \S*vosk: &lt;i&gt;small&lt;/i&gt;\S* \(the first 1 minute\)", body)
    assert re.search(r">0:00</span> <span class=\"transcript__words[^>]+>you have won<", body)
    assert re.search(r">1:01</span> <span class=\"transcript__words[^>]+>&lt;b&gt;write&lt;/b&gt; to ", body)
    assert re.search(r"word--spam-3[^>]*>(?:<[^>]+>)*takes", body)


@BOTH_PAGES
def test_pages_mark_what_reads_like_spam(address: str, case: Case, lead: User, desk: Client) -> None:
    """As in the post: the strongest words most, and what a rule names above all."""
    rules.impose(value="takes.example", reason="Scam", actor=lead, at=timezone.now())
    words = [["pay", 2.0], ["takes", 1.5], ["now", 0.3], ["<b>", 1.0]]
    Score.objects.filter(pk=case.score_id).update(evidence_words=words)

    body = desk.get(address.format(case=case)).content.decode()

    assert re.search(r"word--spam-2[^>]*>(?:<[^>]+>)*Pay<", body)
    assert re.search(r"word--spam-1[^>]*>(?:<[^>]+>)*now<", body)
    assert re.search(r"word--spam-3[^>]*>(?:<[^>]+>)*takes", body)
    assert "what makes it read like spam" in body


def test_a_case_that_is_decided_without_its_score_marks_none(case: Case, desk: Client) -> None:
    Score.objects.filter(pk=case.score_id).update(evidence_words=[["pay", 2.0]])
    Case.objects.filter(pk=case.pk).update(reason=CaseReason.AUDIT)

    assert "what makes it read like spam" not in desk.get(f"/review/{case.pk}/").content.decode()


def test_pages_say_how_much_of_what_was_heard_is_left_out(case: Case, desk: Client) -> None:
    cues = [{"start_ms": 9, "end_ms": 9, "text": "words " * 100} for _ in range(20)]
    Evidence.objects.filter(url="http://short.example/x").update(facts=HEARD | {"cues": cues, "text": ""})

    body = desk.get(f"/review/{case.pk}/").content.decode()

    assert body.count("transcript__words") == 5
    assert "The last 15 are not shown." in body


def test_pages_say_that_nothing_was_understood(case: Case, desk: Client) -> None:
    silent = HEARD | {"cues": [], "text": "", "is_cut": False}
    Evidence.objects.filter(url="http://short.example/x").update(facts=silent)

    body = desk.get(f"/review/{case.pk}/").content.decode()

    assert "No speech recognised." in body
    assert "the first" not in body[body.index("Heard by") :][:200]


CUES = [[1_000, 4_000, "Claim <b>your</b> prize"], [3_723_000, 3_725_000, "See http://prize.example"]]
SAID = {"language": "en", "source": "author", "cues": CUES, "is_cut": False}


def pages(desk: Client, case: Case) -> list[str]:
    return [desk.get(page).content.decode() for page in (f"/posts/{case.post_id}/", f"/review/{case.pk}/")]


class TestCaptions:
    def test_what_a_video_says_is_shown_inert_with_its_times(self, open_case: Case_, desk: Client) -> None:
        case = open_case(transcripts=(SAID | {"is_cut": True},))

        for body in pages(desk, case):
            assert "Claim &lt;b&gt;your&lt;/b&gt; prize" in body
            assert ">0:01<" in body
            assert ">1:02:03<" in body
            assert "http://prize.example" not in body
            assert "only the beginning is here" in body
            assert "not shown" not in body

    def test_words_by_which_captions_read_like_spam_are_marked(self, open_case: Case_, desk: Client) -> None:
        case = open_case(transcripts=(SAID,))
        Score.objects.update(evidence_words=[["prize", 2.0], ["claim", 0.5]])

        for body in pages(desk, case):
            assert re.search(r'class="word word--spam-2"[^>]*>prize<', body)
            assert re.search(r'class="word word--spam-1"[^>]*>Claim<', body)
            assert "what makes it read like spam" in body

    def test_of_very_many_captions_the_first_are_shown(self, open_case: Case_, desk: Client) -> None:
        cues = [[second * 1_000, second * 1_000 + 900, f"Line {second}"] for second in range(2_000)]
        case = open_case(transcripts=(SAID | {"cues": cues},) * 5)

        for body in pages(desk, case):
            assert body.count("Line 499<") == 5
            assert "Line 500<" not in body
            assert body.count("The last 1,500 are not shown.") == 5
