"""Trial 38: what a sentence about a post counts can be listed behind it, as of the instant of the score."""

# ruff: noqa: F811 - fixtures of another module are arguments here

import re
from typing import Any

import pytest
from django.test import Client

from moderation.models import Case, Label, RevisionGroup, Score, User
from moderation.models.cases import CaseReason
from moderation.queries.cases import counted as cases_counted
from moderation.queries.cases.case_pages import case_page
from moderation.queries.cases.counted import Counted
from moderation.queries.records import stored_records
from moderation.web import sentences
from moderation.web.cases.contributions import counted_address
from scoring.features import FEATURES, NO_MODELS, extract
from scoring.records import History, PostRecord
from tests.moderation.counted_case import counted_case, judged_at, scored_posts  # noqa: F401 - fixtures

DURATIONS = {"days", "hours", "seconds"}
LISTED = ("posts", "confirmed_spam", "confirmed_not_spam", "complaints")


def record_of(counted_case: Case) -> PostRecord:
    return stored_records.read(Score.objects.get(pk=counted_case.score_id))


def listed(desk: Client, address: str) -> tuple[History, str]:
    """Read the numbers that the list adds up to."""
    answer = desk.get(address)
    assert answer.status_code == 200, address
    body = answer.content.decode()
    numbers = {name: int(count) for name, count in re.findall(r'data-counted="(\w+)">([\d,]+)<', body)}
    counts: dict[str, Any] = {name: numbers[name.removeprefix("confirmed_")] for name in LISTED}
    return History(**counts), body


@pytest.mark.whole
class TestEverySentence:
    def test_has_its_numbers_in_the_list_behind_it(self, desk: Client, counted_case: Case) -> None:
        record = record_of(counted_case)
        values = extract(record, models=NO_MODELS).tolist()
        seen = set()

        for feature, value in zip(FEATURES, values, strict=True):
            told = sentences.said(feature.name, value, record=record)
            if told is None or told.counted is None or feature.unit in DURATIONS:
                continue
            address = counted_address(counted_case.pk, counted=told.counted, domain=told.domain)
            there, body = listed(desk, address)
            rows = re.findall(r'<tr class="table__row">.*?</tr>', body, re.DOTALL)
            authors = {found for row in rows for found in re.findall(r'href="/authors/(\d+)/"', row)}
            by_list = {
                *(there.posts, there.confirmed_spam, there.confirmed_not_spam, there.complaints),
                there.confirmed_spam + there.confirmed_not_spam,
                there.posts - there.confirmed_spam,
                len(rows),
                len(authors),
                *(1, 24),  # one day with spam; "in the 24 hours before"
            }
            assert {int(number) for number in re.findall(r"\d+", told.words)} <= by_list, told.words
            seen.add(told.counted)

        assert seen == set(Counted)

    def test_is_counted_as_of_the_score(self, desk: Client, counted_case: Case) -> None:
        there, body = listed(desk, counted_address(counted_case.pk, counted=Counted.SIMILAR))

        assert there == History(posts=10, confirmed_spam=4, confirmed_not_spam=3, complaints=3)
        assert "Since then, posts were erased or regrouped" not in body

    @pytest.mark.parametrize("kind", list(Counted))
    def test_lists_what_the_record_holds(self, desk: Client, counted_case: Case, kind: Counted) -> None:
        record = record_of(counted_case)
        histories = {
            Counted.AUTHOR: record.author_history,
            Counted.ADDRESS: record.ip_history,
            Counted.NETWORK: record.ip_network_history,
            Counted.PROVIDER: record.ip_asn_history,
            Counted.MAIL: record.email_domain_history,
            Counted.DOMAIN: record.links[0].domain_history,
            Counted.SIMILAR: record.similar,
            Counted.RESEMBLING: record.resembling,
        }
        domain = record.links[0].domain if kind is Counted.DOMAIN else ""

        there, _ = listed(desk, counted_address(counted_case.pk, counted=kind, domain=domain))

        told = {name: getattr(histories[kind], name) for name in LISTED}
        assert told["posts"] > 0
        assert there == History(**told)

    def test_leads_there_from_the_review_page(self, desk: Client, counted_case: Case) -> None:
        reasons = [["social.similar_spam_share", 0.3, 0.9]]
        Score.objects.filter(pk=counted_case.score_id).update(contributions=reasons)

        body = desk.get(f"/review/{counted_case.pk}/").content.decode()

        for kind in ("similar/", "author/", "address/", "domain/?domain=pills.example"):
            assert f'href="/review/{counted_case.pk}/counted/{kind}"' in body
        assert "4 of 7 decided near-duplicates were spam" in body


class TestList:
    def test_says_when_it_is_no_longer_what_was_counted(self, desk: Client, counted_case: Case) -> None:
        RevisionGroup.objects.filter(post__author__external_id="bulk-1").delete()

        _, body = listed(desk, counted_address(counted_case.pk, counted=Counted.SIMILAR))

        assert "The score counted 10 posts: 4 spam, 3 not." in body

    def test_says_of_a_verdict_on_a_page_that_it_was_none_on_the_words(
        self, desk: Client, counted_case: Case
    ) -> None:
        first = Label.objects.filter(labelled_at__lt=record_of(counted_case).at, is_spam=True).earliest("pk")
        Label.objects.filter(pk=first.pk).update(rests_on_evidence=True)

        there, body = listed(desk, counted_address(counted_case.pk, counted=Counted.SIMILAR))
        by_author, other = listed(desk, counted_address(counted_case.pk, counted=Counted.AUTHOR))

        assert (there.confirmed_spam, body.count("spam, not by its words")) == (3, 1)
        assert by_author.confirmed_spam == record_of(counted_case).author_history.confirmed_spam
        assert "not by its words" not in other

    @pytest.mark.parametrize("reason", [CaseReason.AUDIT, CaseReason.SECOND])
    def test_is_hidden_while_a_case_is_judged_blindly(
        self, desk: Client, counted_case: Case, reason: CaseReason
    ) -> None:
        Case.objects.filter(pk=counted_case.pk).update(reason=reason)

        assert desk.get(counted_address(counted_case.pk, counted=Counted.SIMILAR)).status_code == 404

    @pytest.mark.parametrize(
        "path", ["counted/nothing/", "counted/domain/", "counted/domain/?domain=a.example"]
    )
    def test_of_nothing_is_not_found(self, desk: Client, counted_case: Case, path: str) -> None:
        assert desk.get(f"/review/{counted_case.pk}/{path}").status_code == 404

    def test_takes_few_queries_however_many_posts(
        self, counted_case: Case, moderator: User, django_assert_max_num_queries: Any
    ) -> None:
        page = case_page(case_id=counted_case.pk, viewer=moderator, at=record_of(counted_case).at)

        with django_assert_max_num_queries(4):
            found = cases_counted.posts(page=page, counted=Counted.SIMILAR, domain="", viewer=moderator)

        assert found.is_complete
        assert not found.is_sample
