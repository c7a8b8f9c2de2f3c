"""What the models say of a case, as its page shows it."""

import dataclasses
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from django.test import Client
from django.utils import timezone

from moderation.models import Case, Score, User
from moderation.queries.cases.case_pages import CasePage, case_page
from moderation.queries.labels import calibration
from moderation.web.cases import model_view
from scoring import features
from scoring.features import NAMES, SUB_MODEL_FEATURES
from scoring.records import PostRecord
from tests.moderation.caches import forget
from tests.moderation.conftest import Case_, Judged
from tests.moderation.web.sentences.known_records import RECORDS
from tests.scoring import random_records

Page_ = Callable[..., CasePage]


@pytest.fixture
def scored(open_case: Case_, moderator: User) -> Page_:
    """A case's page after its score was made to say something else; `record` replaces the record's fields."""

    def read(*, record: dict[str, Any] | None = None, **fields: Any) -> CasePage:
        case = open_case()
        stored = Score.objects.get(pk=case.score_id).record | (record or {})
        Score.objects.filter(pk=case.score_id).update(record=stored, **fields)
        return case_page(case_id=case.pk, viewer=moderator, at=timezone.now())

    return read


def history(**counts: int) -> dict[str, Any]:
    return {"posts": 12, "authors": 1, **counts}


def differ(one: float, other: float) -> bool:
    """Tell whether two values of a feature differ; unknown is like unknown."""
    return one != other and not (math.isnan(one) and math.isnan(other))


def view_of(page: CasePage) -> model_view.ModelView:
    return model_view.of(page.scored, at=timezone.now())


class TestReasons:
    def test_add_up_to_all_contributions(self, scored: Page_) -> None:
        contributions = [[name, float(n % 5), (-1) ** n * 0.01 * n] for n, name in enumerate(NAMES)]

        view = view_of(scored(contributions=contributions))

        shown = sum(line.share for group in view.groups for line in group.lines)
        # Each line below a hundredth is left out, and nothing else.
        assert shown == pytest.approx(sum(share for *_, share in contributions), abs=0.005 * len(NAMES))

    def test_are_none_where_words_and_sign_contradict(self, scored: Page_) -> None:
        record = {"ip": "192.0.2.7", "ip_history": history(complaints=5)}

        for share, is_shown in ((0.6, True), (-1.91, False)):
            view = view_of(scored(record=record, contributions=[["context.ip_complaints", 5.0, share]]))

            words = "5 complaints about earlier posts from this address"
            rest = "All remaining features"
            assert [line.words for line in view.top] == ([words] if is_shown else [])
            assert [line.words for group in view.groups for line in group.lines] == [
                words if is_shown else rest
            ]

    def test_say_the_same_decisions_once(self, scored: Page_) -> None:
        record = {"author_history": history(confirmed_spam=4, confirmed_not_spam=5)}
        contributions = [["social.spam_share", 0.32, 0.4], ["social.confirmed_spam", 4.0, 0.5]]

        [line] = view_of(scored(record=record, contributions=contributions)).top

        assert line.words == "4 of 9 decided posts of this author were spam"
        assert line.share == pytest.approx(0.9)

    def test_agree_with_the_facts_beside_them(self, desk: Client, scored: Page_) -> None:
        record = {"author_history": history(confirmed_spam=4, confirmed_not_spam=5)}
        found = scored(record=record, contributions=[["social.spam_share", 0.32, 0.4]])

        body = desk.get(f"/review/{found.case.pk}/").content.decode()

        assert "4 spam, 5 not" in body
        assert "4 of 9 decided posts of this author were spam" in body
        assert "32%" not in body

    def test_tell_of_an_address_in_counts(self, desk: Client, scored: Page_) -> None:
        record = {"ip": "192.0.2.7", "ip_history": history(confirmed_spam=1, posts=3)}

        body = desk.get(f"/review/{scored(record=record).case.pk}/").content.decode()

        assert "192.0.2.7, 3 posts by 1 author; decided: 1 spam, 0 not" in body
        assert not re.search(r"100%|1 of 1", body)


class TestBars:
    SUB_MODELS: ClassVar = {"content": 0.4, "behaviour": 0.3, "ip_url": 0.15, "feedback": 0.18}

    def test_evidence_has_one_where_it_speaks_for_spam(self, scored: Page_) -> None:
        shown = [["content.page_probability", 0.97, 4.2], ["context.link_hops", 2.0, 0.2]]

        view = view_of(scored(sub_models={"content": 0.1, "evidence": 0.93}, contributions=shown))

        assert (view.bars[-1].name, view.bars[-1].probability) == ("Pages and pictures", 0.93)
        assert view.top[0].words == "The page behind the link reads like spam"
        assert not view.top[0].search, "no vector holds it"

    def test_are_not_drawn_where_there_is_nothing_to_judge(self, desk: Client, scored: Page_) -> None:
        found = scored(sub_models=self.SUB_MODELS)

        body = desk.get(f"/review/{found.case.pk}/").content.decode()

        assert [bar.probability for bar in view_of(found).bars] == [0.4, None, None, None]
        assert body.count('<li class="score-bar ') == 1
        assert "No data: Behaviour, Address and links, Complaints" in body

    def test_of_the_text_is_missing_where_there_is_none(self, scored: Page_) -> None:
        bars = view_of(scored(record={"text": " "}, sub_models={"content": 0.4})).bars

        assert (bars[0].probability, bars[0].why_none) == (None, "no data")

    def test_of_a_part_without_an_opinion_is_missing(self, scored: Page_) -> None:
        bars = view_of(scored(record={"ip": "192.0.2.7"}, sub_models={"content": 0.4, "ip_url": None})).bars

        assert {bar.why_none for bar in bars if bar.name == "Address and links"} == {"no effect"}

    def test_stand_where_there_is(self, scored: Page_) -> None:
        record = {"ip": "192.0.2.7", "author_history": history(), "shares": 3}

        bars = view_of(scored(record=record, sub_models=self.SUB_MODELS)).bars

        assert [bar.probability for bar in bars] == [0.4, 0.3, 0.15, 0.18]


class TestHasToJudge:
    """What alone moves a feature of a sub-model is something that the sub-model has to judge."""

    KNOWN = RECORDS["crowd"]
    # What a record never holds without the other is tried together.
    PARTS = (
        ("text", "language"),
        ("author",),
        ("author", "email_domain_history"),
        ("author_history", "same_text_by_author"),
        ("ip", "ip_history", "ip_network_history"),
        ("ip_asn", "ip_asn_history"),
        ("similar",),
        ("resembling",),
        ("links", "author_history"),
        ("journey",),
        ("complaints", "is_account"),
        ("shares",),
        ("comments",),
    )
    OF_EVERY_POST = frozenset(
        {"platform", "external_id", "revision", "at", "posted_at", "version", "evidence"}
    )
    """No sub-model judges evidence, whose bar is drawn where it speaks for spam."""

    @pytest.mark.parametrize("parts", PARTS, ids="+".join)
    def test_holds_for_what_moves_a_feature(self, parts: tuple[str, ...]) -> None:
        """Cure: `_has_to_judge` of moderation/web/cases/model_view.py, for the part that a feature reads."""
        empty = random_records.record(text="", posted_at=self.KNOWN.posted_at)
        known = dataclasses.replace(self.KNOWN, text="@one @two #win 5 € CALL NOW! 😀", language="en")
        post = dataclasses.replace(empty, **{part: getattr(known, part) for part in parts})

        before, after = (features.extract(each, models=features.NO_MODELS) for each in (empty, post))
        moved = {name for name, *values in zip(NAMES, before, after, strict=True) if differ(*values)}
        judging = {name for name, own in SUB_MODEL_FEATURES.items() if moved & set(own)}

        assert {name for name in judging if not model_view._has_to_judge(name, post)} == set()

    def test_every_part_of_a_record_is_tried(self) -> None:
        fields = {field.name for field in dataclasses.fields(PostRecord)}

        assert {part for parts in self.PARTS for part in parts} == fields - self.OF_EVERY_POST


class TestUnreadScript:
    """What the models make of a script that they cannot read is noise: no page tells it as a number."""

    NOISE: ClassVar[dict[str, Any]] = {
        "route_reason": "unread_script",
        "spam_probability": 0.98,
        "sub_models": {"content": 0.98, "behaviour": 0.3},
        "contributions": [["content.text", 0.98, 2.4], ["social.spam_share", 0.4, 0.3]],
    }

    def test_has_no_bar_and_no_sentence_of_the_text(self, scored: Page_) -> None:
        record = {"author_history": history(confirmed_spam=4, confirmed_not_spam=5)}

        view = view_of(scored(record=record, **self.NOISE))

        assert (view.bars[0].probability, view.bars[0].why_none) == (None, "unsupported script")
        assert view.bars[1].probability == 0.3
        assert [line.words for line in view.top] == ["4 of 9 decided posts of this author were spam"]

    def test_has_no_marked_words_on_any_page(self, desk: Client, scored: Page_) -> None:
        """Seven of eight words of an Arabic post were marked, beside "Text not scored"."""
        case = scored(**self.NOISE, word_contributions=[[0, 3, 1.0]]).case

        for address in (f"/review/{case.pk}/", f"/review/{case.pk}/text/?part", f"/posts/{case.post_id}/"):
            body = desk.get(address).content.decode()
            assert "word--spam" not in body, address
            assert "Explaining the words" not in body, address

    def test_is_told_without_a_number_on_every_page(self, desk: Client, scored: Page_) -> None:
        case = scored(**self.NOISE).case
        Case.objects.update(reason="unread_script")

        for address in (f"/review/{case.pk}/", f"/posts/{case.post_id}/", "/queue/", "/posts/"):
            body = desk.get(address).content.decode()
            assert "nsupported script" in body, address
            assert not re.search(r"98\s?%", body), address


class TestMeaning:
    @pytest.fixture(autouse=True)
    def _nothing_remembered(self) -> Iterator[None]:
        forget(calibration)
        yield
        forget(calibration)

    @pytest.mark.parametrize(
        ("probability", "reason", "words"),
        [
            (0.05, "outvoted", "Sent to review anyway: only one model is sure it is spam."),
            (0.97, "outvoted", "Sent to review anyway: one model alone never removes a post."),
            (0.97, "uncertain", ""),
            (0.97, "audit", ""),
        ],
    )
    def test_says_why_a_human_is_asked_against_the_thresholds(
        self, scored: Page_, probability: float, reason: str, words: str
    ) -> None:
        found = scored(spam_probability=probability, route_reason=reason)
        found.case.score.release.manifest = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}}

        assert view_of(found).exception == words

    @pytest.mark.parametrize(("route", "now"), [("remove", "removed"), ("allow", "let through")])
    def test_says_what_the_filter_would_do_with_a_case_that_somebody_has(
        self, scored: Page_, route: str, now: str
    ) -> None:
        first = scored(route=route, route_reason="")
        later = scored(route=route, route_reason="", scored_at=timezone.now())

        assert view_of(first).exception == "", "its score is the one that it was opened for"
        assert view_of(later).exception == f"Scored again since the case opened: it would be {now} now."

    def test_a_platform_has_thresholds_and_labels_of_its_own(self, scored: Page_) -> None:
        found = scored(spam_probability=0.934, route_reason="outvoted")
        own = {
            "thresholds": {"review_from": 0.3, "remove_from": 0.96},
            "chosen_on": {"posts": 412, "random": 240},
        }
        shared = {"thresholds": {"review_from": 0.2, "remove_from": 0.9}, "training": {"simulated": True}}
        release = found.case.score.release
        platform = found.case.post.platform.slug

        shown = {}
        for slug in (platform, "another"):
            release.manifest = {**shared, "platforms": {slug: own}}
            shown[slug] = view_of(found)

        assert (shown[platform].review_from, shown[platform].remove_from) == (30, 96)
        assert (shown["another"].review_from, shown["another"].remove_from) == (20, 90)
        assert [view.exception.split(": ")[1] for view in shown.values()] == [
            "only one model is sure it is spam.",
            "one model alone never removes a post.",
        ]

    def test_never_promises_what_nobody_measured(self, scored: Page_) -> None:
        found = scored()
        found.case.score.release.manifest = {"training": {"texts": [{"source": "sms", "validation": 409}]}}

        assert view_of(found).meaning == "Not yet measured for posts like this one."

    def test_names_the_posts_that_were_judged_here(self, scored: Page_, judged_alike: Judged) -> None:
        found = scored(spam_probability=0.934)
        judged_alike(found.case, probability=0.95, spam=120, fine=5)
        judged_alike(found.case, probability=0.3, spam=5, fine=70)

        assert view_of(found).meaning == (
            "120 of 125 posts like this one (language, links) were spam. "
            "Judged here at 90 to 100%, from 2026-03-01 to 2026-03-01."
        )
