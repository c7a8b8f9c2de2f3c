"""Captions that a platform sent with a post, on its page and under review."""

from __future__ import annotations

import re

from django.test import Client

from moderation.models import Case, Score
from tests.moderation.conftest import Case_

CUES = [[1_000, 4_000, "Claim <b>your</b> prize"], [3_723_000, 3_725_000, "See http://prize.example"]]
SAID = {"language": "en", "source": "author", "cues": CUES, "is_cut": False}


def pages(desk: Client, case: Case) -> list[str]:
    return [desk.get(page).content.decode() for page in (f"/posts/{case.post_id}/", f"/review/{case.pk}/")]


def test_what_a_video_says_is_shown_inert_with_its_times(open_case: Case_, desk: Client) -> None:
    case = open_case(transcripts=(SAID | {"is_cut": True},))

    for body in pages(desk, case):
        assert "Claim &lt;b&gt;your&lt;/b&gt; prize" in body
        assert ">0:01<" in body
        assert ">1:02:03<" in body
        assert "http://prize.example" not in body
        assert "only the beginning is here" in body
        assert "not shown" not in body


def test_words_by_which_captions_read_like_spam_are_marked(open_case: Case_, desk: Client) -> None:
    case = open_case(transcripts=(SAID,))
    Score.objects.update(evidence_words=[["prize", 2.0], ["claim", 0.5]])

    for body in pages(desk, case):
        assert re.search(r'class="word word--spam-2"[^>]*>prize<', body)
        assert re.search(r'class="word word--spam-1"[^>]*>Claim<', body)
        assert "what makes it read like spam" in body


def test_of_very_many_captions_the_first_are_shown(open_case: Case_, desk: Client) -> None:
    cues = [[second * 1_000, second * 1_000 + 900, f"Line {second}"] for second in range(2_000)]
    case = open_case(transcripts=(SAID | {"cues": cues},) * 5)

    for body in pages(desk, case):
        assert body.count("Line 499<") == 5
        assert "Line 500<" not in body
        assert body.count("The last 1,500 are not shown.") == 5
