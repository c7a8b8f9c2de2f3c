"""The simulated world is repeatable, varied, valid and not too easy."""

import ipaddress
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime

import pytest

from moderation.api.serializers import incoming_post
from simulation import material
from simulation.events import ComplaintEvent, Event, PostEvent
from simulation.texts import links

from .conftest import events_of


def test_repeats_itself_for_a_seed_only() -> None:
    once, again, other = (events_of(posts=300, seed=seed) for seed in (7, 7, 8))

    assert once == again
    assert [event.payload for event in once] != [event.payload for event in other]


def test_ids_of_two_runs_never_meet() -> None:
    one, other = events_of(posts=200, run="sim-1"), events_of(posts=200, run="sim-2")

    assert not _ids(one) & _ids(other)


def test_events_come_in_the_order_of_time(events: list[Event]) -> None:
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_complaints_are_about_earlier_posts(events: list[Event]) -> None:
    seen: set[str] = set()

    for event in events:
        if isinstance(event, PostEvent):
            seen.add(event.payload["external_id"])
        else:
            assert event.payload["post"] in seen


def test_speaks_many_languages_and_each_author_one(posts: list[PostEvent]) -> None:
    spoken = Counter(post.truth.language for post in posts)
    of_authors: dict[str, set[str]] = defaultdict(set)
    for post in posts:
        of_authors[post.payload["author"]["external_id"]].add(post.truth.language)

    assert len(spoken) == 19
    assert 0.4 < spoken["en"] / len(posts) < 0.6
    assert all(len(languages) == 1 for languages in of_authors.values())


def test_campaigns_have_several_authors_and_texts(posts: list[PostEvent]) -> None:
    campaigns: dict[str, list[PostEvent]] = defaultdict(list)
    for post in posts:
        if post.truth.campaign and post.truth.is_spam:
            campaigns[post.truth.campaign].append(post)

    large = [members for members in campaigns.values() if len(members) >= 10]

    assert len(large) >= 10
    assert all(len({post.payload["author"]["external_id"] for post in members}) > 1 for members in large)
    varied = [members for members in large if len({post.payload["text"] for post in members}) > 1]
    assert len(varied) >= 0.9 * len(large)
    assert all(len({post.truth.kind for post in members}) == 1 for members in large)


def test_hostile_content_is_present_in_a_small_share_of_both_classes(posts: list[PostEvent]) -> None:
    hostile = [post for post in posts if post.truth.hostile]

    assert 0.01 < len(hostile) / len(posts) < 0.05
    assert len({post.truth.hostile for post in hostile}) == 9
    assert {post.truth.is_spam for post in hostile} == {True, False}


class TestPayloads:
    def test_posts_keep_to_the_limits_of_the_api(self, posts: list[PostEvent]) -> None:
        for post in posts:
            payload = json.loads(json.dumps(post.payload))
            assert incoming_post.careful(payload, platform="simulated").posted_at == post.at

    def test_accounts_are_older_than_posts_and_counts_not_negative(self, posts: list[PostEvent]) -> None:
        for post in posts:
            author = post.payload["author"]
            if "created_at" in author:
                assert datetime.fromisoformat(author["created_at"]) <= post.at
                assert min(author["friends"], author["followers"], author["posts"]) >= 0

    def test_addresses_belong_to_nobody(self, posts: list[PostEvent]) -> None:
        for post in posts:
            if "ip" in post.payload:
                assert not ipaddress.ip_address(post.payload["ip"]).is_global

    def test_complaints_keep_to_the_limits_of_the_api(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, ComplaintEvent):
                assert event.payload["reason"] in {"spam", "scam", "abuse", "adult", "impersonation", "other"}
                assert event.payload["reporter"]["external_id"]
                assert datetime.fromisoformat(event.payload["reported_at"]) == event.at

    def test_some_answer_posts_of_before_or_articles_that_are_told(self, posts: list[PostEvent]) -> None:
        sent: set[str] = set()
        told: Counter[str] = Counter()
        for post in posts:
            if parent := post.payload.get("parent"):
                assert ("text" in parent) is (parent["external_id"] not in sent)
                assert len(parent.get("text", "")) <= 10_000
                told[parent["external_id"]] += "text" in parent
            sent.add(post.payload["external_id"])

        answers = [post for post in posts if "parent" in post.payload]
        assert 0.2 < len(answers) / len(posts) < 0.35
        assert {post.truth.is_spam for post in answers} == {True, False}
        assert max(told.values()) > 3

    def test_never_tell_the_truth(self, posts: list[PostEvent]) -> None:
        known = {
            *("external_id", "text", "posted_at", "author", "language", "user_agent", "ip", "ip_asn"),
            *("journey", "links", "parent"),
        }

        assert set().union(*(post.payload for post in posts)) == known | {"shares", "comments", "views"}


Rule = Callable[[PostEvent, int], bool]

_THROW_AWAY = frozenset(material.table("people")["throwaway_mail_domains"])
RULES: dict[str, Rule] = {
    "has a link": lambda post, _: bool(links(post.payload["text"])),
    "short journey": lambda post, _: 0 < len(post.payload.get("journey", [])) < 6,
    "no key step": lambda post, _: "journey" in post.payload and "key" not in _steps(post),
    "any complaint": lambda _, complaints: complaints > 0,
    "three complaints": lambda _, complaints: complaints >= 3,
    "throw-away mail": lambda post, _: _mail_domain(post) in _THROW_AWAY,
    "capital letters": lambda post, _: (
        sum(map(str.isupper, post.payload["text"])) > len(post.payload["text"]) / 5
    ),
    "an emoji of hot offers": lambda post, _: any(sign in post.payload["text"] for sign in "🔥🚀💰🎁✅"),
}


class TestNoSignalAloneDecides:
    @pytest.mark.parametrize("name", RULES)
    def test_rule_is_imperfect(self, events: list[Event], posts: list[PostEvent], name: str) -> None:
        complaints = Counter(event.payload["post"] for event in events if isinstance(event, ComplaintEvent))
        calls = [
            (RULES[name](post, complaints[post.payload["external_id"]]), post.truth.is_spam) for post in posts
        ]
        accuracy = sum(called == is_spam for called, is_spam in calls) / len(calls)
        spam_called = [called for called, is_spam in calls if is_spam]
        talk_called = [called for called, is_spam in calls if not is_spam]

        assert accuracy < 0.95
        assert sum(talk_called) > 0, "it also strikes ordinary talk"
        assert sum(spam_called) < len(spam_called), "it also misses spam"

    def test_each_signal_is_missing_from_some_posts(self, posts: list[PostEvent]) -> None:
        for is_spam in (True, False):
            known = [
                {*post.payload, *post.payload["author"]} for post in posts if post.truth.is_spam == is_spam
            ]
            for signal in ("ip", "journey", "friends"):
                assert 0.5 < sum(signal in keys for keys in known) / len(known) < 0.95

    def test_some_authors_write_both(self, posts: list[PostEvent]) -> None:
        wrote: dict[str, set[bool]] = defaultdict(set)
        for post in posts:
            wrote[post.payload["author"]["external_id"]].add(post.truth.is_spam)

        assert sum(len(classes) == 2 for classes in wrote.values()) > 20


def _ids(events: list[Event]) -> set[str]:
    ids = {event.payload["external_id"] for event in events}
    return ids | {event.payload["author"]["external_id"] for event in events if isinstance(event, PostEvent)}


def _steps(post: PostEvent) -> set[str]:
    return {step["name"] for step in post.payload["journey"]}


def _mail_domain(post: PostEvent) -> str:
    return str(post.payload["author"].get("email_domain", ""))
