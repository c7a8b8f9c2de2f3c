"""What a link adds, whatever the text: nothing if its site is known or plain, and never less."""

import dataclasses
from datetime import timedelta

import numpy as np
import pytest

from scoring.ensemble import Ensemble
from scoring.links import links_in
from scoring.pipeline import Scorer
from scoring.records import History, Link, LinkReputation, PostRecord
from tests.scoring.random_records import AT, record
from training import everyday_urls

TEXTS = (0.02, 0.1, 0.3)
POPULAR = (
    "https://www.nhs.uk/live-well/",
    "https://www.bbc.co.uk/news/articles/c4gvrx1q9w7o",
    "https://www.amazon.de/deals/dp/B0CX23V2ZK/ref=cm_sw_r_apan?psc=1",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
    "https://arxiv.org/abs/1910.01108",
)
SMALL_KINDS = ("small site", "school or authority", "other alphabet")
OLD = LinkReputation(trust_score=95.0, threat_score=0.0, live_since_at=AT - timedelta(days=6000))
MANY = History(posts=900, posts_24h=60, authors=500, first_seen_at=AT - timedelta(days=900))
HONEST = dataclasses.replace(MANY, confirmed_not_spam=200, recent_not_spam=50.0)


def link(url: str, **known: object) -> Link:
    [parts] = links_in("", extra=[url])
    return dataclasses.replace(Link(url=parts.url, host=parts.host, domain=parts.domain), **known)  # type: ignore[arg-type] # the fields of a link


def small_sites() -> list[str]:
    written = everyday_urls.write(["bbc.co.uk"], generator=np.random.default_rng(3), urls_per_kind=60)
    return [written_url.url for written_url in written if written_url.pattern in SMALL_KINDS]


def added(scorer: Scorer, *links: Link, to: PostRecord | None = None) -> float:
    """What links add to a post's spam log-odds, the same at all texts that do not read as spam."""
    post = to or record()
    odds = []
    for content in TEXTS:
        two = [post, dataclasses.replace(post, links=links)]
        said = scorer.spam_probabilities(two, content_probabilities=np.full(2, content))
        odds.append(float(np.diff(np.log(said / (1.0 - said)))[0]))
    assert odds == pytest.approx([odds[0]] * len(odds), abs=1e-9)
    return odds[0]


class TestKnownSite:
    @pytest.mark.parametrize("url", POPULAR)
    def test_a_popular_one_adds_and_takes_nothing(self, scorer: Scorer, url: str) -> None:
        for known in ({}, {"domain_history": HONEST, "url_posts": 30}, {"reputation": OLD}):
            assert added(scorer, link(url, **known)) == pytest.approx(0.0, abs=1e-9)

    def test_nor_one_whose_posts_people_confirmed(self, scorer: Scorer) -> None:
        known = link("https://marinos-pizza.shop/free-menu", domain_history=HONEST, reputation=OLD)

        assert added(scorer, known) == pytest.approx(0.0, abs=1e-9)

    @pytest.mark.parametrize(
        "url",
        ["https://docs.google.com/forms/d/1/login", "https://medium.com/free-bonus", "https://bit.ly/free"],
    )
    def test_a_host_open_to_anyone_earns_nothing(self, scorer: Scorer, url: str) -> None:
        assert added(scorer, link(url, domain_history=HONEST)) >= added(scorer, link(url)) - 1e-9 > 0.0

    def test_nor_does_a_redirect_of_a_popular_one(self, scorer: Scorer) -> None:
        bait = "https://www.google.com/url?q=https%3A%2F%2Ffree-bonus.example%2Flogin"

        assert added(scorer, link(bait)) > 0.0
        assert added(scorer, link("https://www.amazon.de/deals/", hops=("small.example",))) > 0.0


class TestUnknownSite:
    def test_is_no_suspicion(self, scorer: Scorer) -> None:
        release = scorer.release
        honest = np.geomspace(0.001, 0.5, 60)
        bare = scorer.routes([record()] * len(honest), content_probabilities=honest)
        unchanged = [
            route == before
            for url in small_sites()
            for route, before in zip(
                scorer.routes([record(links=(link(url),))] * len(honest), content_probabilities=honest),
                bare,
                strict=True,
            )
        ]

        assert np.mean(unchanged) >= 0.99
        most = Ensemble.load(release.folder).bounds.suspicion * release.calibration.slope
        # The URL model flags one honest site of forty by its form.
        flagged = [url for url in small_sites() if added(scorer, link(url)) > most + 1e-9]
        assert len(flagged) <= 0.04 * len(small_sites()), flagged

    def test_nor_is_its_length(self, scorer: Scorer) -> None:
        long = "https://www.oakridge-school.org/apps/pages/index.jsp?uREC_ID=41873&type=d&pREC_ID=1234567890"

        assert added(scorer, link(long)) == pytest.approx(0.0, abs=1e-9)


HOSTILE = {
    "look-alike": link("https://paypa1.com/"),
    "look-alike of a popular domain": link("https://wikipedla.org/"),
    "popular domain in front": link("https://www.bbc.co.uk.evil.example/"),
    "decoy before the host": link("https://bbc.co.uk@evil.example/"),
    "bait": link("https://free-bonus.example/login"),
    "IP address": link("http://10.1.2.3/"),
    "listed": link("https://small.example/", reputation=LinkReputation(threat_score=1.0)),
    "bad past": link(
        "https://small.example/", domain_history=History(posts=20, authors=9, confirmed_spam=9, complaints=4)
    ),
    "popular, bad past": link(
        "https://www.mirror.co.uk/", domain_history=History(posts=20, authors=9, confirmed_spam=9)
    ),
    "URL model": link("http://a.example/wp-includes/js/paypal.com/webscr.php?cmd=_login-run&dispatch=58d80a"),
}


class TestHostileLink:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_keeps_raising(self, scorer: Scorer, name: str) -> None:
        # Real posts hardly ever hold a look-alike, so the fit gives it less than the others.
        assert added(scorer, HOSTILE[name]) > (0.1 if name.startswith("look-alike") else 0.25)

    def test_what_is_only_suspicious_raises_a_little(self, scorer: Scorer) -> None:
        young = LinkReputation(live_since_at=AT - timedelta(days=2))
        for one in (
            link("https://bit.ly/3XyZ9kL"),
            link("https://shoes.top/"),
            link("https://a.example/", reputation=young),
        ):
            assert 0.0 <= added(scorer, one) <= 0.5

    def test_a_good_link_beside_it_takes_nothing(self, scorer: Scorer) -> None:
        alone = added(scorer, HOSTILE["look-alike"])

        assert added(scorer, HOSTILE["look-alike"], link(POPULAR[0])) == pytest.approx(alone)


def test_what_providers_say_for_a_link_excuses_nothing(scorer: Scorer) -> None:
    """Whoever links to an old and trusted site is not honest by that, nor beside a bad past."""
    suspected = record(ip="192.0.2.7", ip_history=History(posts=9, confirmed_spam=9, spam_days=4))
    for post in (record(), suspected):
        assert added(scorer, link("https://small.example/", reputation=OLD), to=post) >= -1e-9
