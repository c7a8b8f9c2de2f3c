"""Links to learn from: what decisions say of the domains that posts link to, and everyday ones by pattern."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from scoring.known_domains import is_popular
from scoring.links import links_in
from scoring.records import Link
from scoring.splits import Split, split_of
from tests import json_lines
from tests.scoring.links_of_today import EVERYDAY_LINKS, SCAM_LINKS
from tests.scoring.random_records import record
from tests.training.made_up_urls import SITES, made_up, written
from training import __main__ as command
from training import decided_urls, everyday_urls, train_urls
from training.decided_urls import KIND, NoGain, TooFew
from training.labelled_lines import Malformed
from training.labelled_urls import BENIGN, LabelledUrl

LEARNT = [name for name in (f"group-{number}" for number in range(200)) if split_of(name) is not Split.TEST]
JUDGING = next(name for name in (f"group-{number}" for number in range(200)) if split_of(name) is Split.TEST)


def decision(url: str, *, is_spam: bool, group: str, weight: float = 1.0) -> dict[str, Any]:
    """A line of an export about a post with one link."""
    [link] = links_in(url)
    text = f"look here {url}"
    stored = record(
        text=text,
        external_id=f"{url}-{group}",
        links=(Link(url=link.url, host=link.host, domain=link.domain),),
    )
    return {
        "id": f"tests/{url}-{group}/1", "text": text, "lang": "en", "label": int(is_spam), "group": group,
        "weight": weight, "record": stored.to_json(),
        "provenance": {"decided_at": "2026-03-01T12:00:00+00:00"},
    }  # fmt: skip


def asked(path: object, *, group: str, is_spam: bool = True, weight: float = 1.0) -> dict[str, Any]:
    return decision(f"http://asked.example/{path}", is_spam=is_spam, group=group, weight=weight)


def agreed(domain: str, *, is_spam: bool, times: int = 3, path: str = "a") -> list[dict[str, Any]]:
    return [
        decision(f"http://{domain}/{path}/{number}", is_spam=is_spam, group=LEARNT[number])
        for number in range(times)
    ]


def enough() -> list[dict[str, Any]]:
    """Decisions that agree on as many domains of either sort as are needed."""
    return [
        line
        for number in range(decided_urls.LEAST_DOMAINS)
        for is_spam in (True, False)
        for line in agreed(f"{'bad' if is_spam else 'fine'}{number}.example", is_spam=is_spam)
    ]


@pytest.fixture
def popular(tmp_path: Path) -> Path:
    path = tmp_path / "popular.csv"
    path.write_text("\n".join(["everybody.com", *SITES]), encoding="utf-8")
    return path


def loaded(lines: list[dict[str, Any]], *, popular: Path) -> dict[str, str]:
    """Return the kind of each domain that is learnt from."""
    path = json_lines.written(popular.with_name("labels.jsonl"), lines)
    return {one.domain: one.kind for one in decided_urls.load([path], popular=popular)}


def decided_domains() -> list[LabelledUrl]:
    """URLs of a new kind of spam that no list has, and honest ones beside it."""
    generator = np.random.default_rng(4)
    names = {True: ("vela", "grow-fast"), False: ("rowing", "our-team")}
    return [
        LabelledUrl(
            url=f"http://{site}-{number}.example/{page}/{int(generator.integers(100))}",
            domain=f"{site}-{number}.example",
            kind=KIND if is_bad else BENIGN,
        )
        for number in range(40)
        for is_bad, (site, page) in names.items()
    ]


def _is_learnt(one: LabelledUrl) -> bool:
    return split_of(one.domain) is not Split.TEST


TWO_SITES = ["popular.com", "known.org"]


@pytest.fixture(scope="module")
def everyday() -> list[LabelledUrl]:
    return everyday_urls.write(TWO_SITES, generator=np.random.default_rng(1), urls_per_kind=120)


def test_check_refuses_what_makes_lists_worse() -> None:
    before = decided_urls.Quality(roc_auc=0.6, listed_roc_auc=0.98)
    after = decided_urls.Quality(roc_auc=0.9, listed_roc_auc=0.97)

    gain = decided_urls.Gain(domains=20, bad=10, urls=60, without=before, with_decisions=after)

    with pytest.raises(NoGain, match=r"0\.9700 on the test part of the lists"):
        gain.check()


def test_the_command_refuses_by_name_and_writes_nothing(tmp_path: Path, popular: Path) -> None:
    labels = json_lines.written(tmp_path / "labels.jsonl", agreed("one.example", is_spam=True)[:1])
    out = tmp_path / "out"
    given = ["--urls", str(written(made_up(60), tmp_path / "urls.csv.gz")), "--popular", str(popular)]

    with pytest.raises(SystemExit, match="TooFew: decisions agree on 0 domains"):
        command.main(["urls", *given, "--labels", str(labels), "--out", str(out)])

    assert not out.exists()


class TestLoad:
    def test_domains_are_what_their_decisions_agree_on(self, popular: Path) -> None:
        found = loaded(enough(), popular=popular)

        assert found["bad3.example"] == KIND
        assert found["fine3.example"] == BENIGN
        assert len(found) == 2 * decided_urls.LEAST_DOMAINS

    @pytest.mark.parametrize(
        "lines",
        [
            agreed("asked.example", is_spam=True, times=2),
            [asked(number, group=LEARNT[0]) for number in range(50)],
            [*agreed("asked.example", is_spam=True, times=3), asked("fine", group=LEARNT[9], is_spam=False)],
            [
                *agreed("asked.example", is_spam=True, times=9),
                asked("fine", group=LEARNT[19], is_spam=False, weight=50.0),
            ],
            agreed("everybody.com", is_spam=True, times=20),
            agreed("bit.ly", is_spam=True, times=20),
            agreed("bit.ly", is_spam=False, times=20),
            [asked(number, group=LEARNT[number], weight=0.0) for number in range(9)],
            [*agreed("asked.example", is_spam=True, times=2), asked("x", group=JUDGING)],
        ],
        ids=[
            *("two decisions", "one campaign", "three to one", "one that stands for many", "popular"),
            *("open to anyone", "open to anyone and honest", "complained of", "one of the test part"),
        ],
    )
    def test_says_nothing_of_others(self, popular: Path, lines: list[dict[str, Any]]) -> None:
        found = loaded([*enough(), *lines], popular=popular)

        assert len(found) == 2 * decided_urls.LEAST_DOMAINS

    def test_popular_ones_may_be_honest(self, popular: Path) -> None:
        found = loaded([*enough(), *agreed("everybody.com", is_spam=False)], popular=popular)

        assert found["everybody.com"] == BENIGN

    def test_refuses_too_few(self, popular: Path) -> None:
        with pytest.raises(TooFew, match="7 domains as spam and 8 as honest"):
            loaded([line for line in enough() if "bad0" not in line["text"]], popular=popular)

    def test_refuses_simulated_records_by_line(self, popular: Path) -> None:
        simulated = {"record": record().to_json(), "is_spam": True, "kind": "x", "group": "g"}

        with pytest.raises(Malformed, match=r"labels\.jsonl, line 1: a simulated record"):
            loaded([simulated], popular=popular)


class TestTrain:
    def test_learns_a_kind_of_spam_that_lists_lack(self) -> None:
        trained = train_urls.train(
            made_up(600), sites=SITES, decided=decided_domains(), seed=1, everyday_per_kind=20
        )

        gain = trained.gain
        assert gain is not None
        assert gain.with_decisions.roc_auc > max(0.9, gain.without.roc_auc)
        assert gain.bad == len([one for one in decided_domains() if one.is_bad and _is_learnt(one)])
        spam, honest = (
            trained.model.probability(f"http://new-9000.example/{path}/3")
            for path in ("grow-fast", "our-team")
        )
        assert spam > honest

    def test_refuses_decisions_that_contradict_one_another(self) -> None:
        noise = np.random.default_rng(1)
        decided = [
            LabelledUrl(url=one.url, domain=one.domain, kind=KIND if noise.random() < 0.5 else BENIGN)
            for one in decided_domains()
        ]

        with pytest.raises(NoGain, match="train without --labels"):
            train_urls.train(made_up(600), sites=SITES, decided=decided, seed=1, everyday_per_kind=20)


def test_popular_domains_leaves_out_what_anyone_may_write_to_and_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "popular.csv"
    path.write_text("Known.org\nbit.ly\nblogspot.co.uk\nweebly.com\nseen-bad.com\n\npopular.com\n")

    assert everyday_urls.popular_domains(path, without={"seen-bad.com"}) == ["known.org", "popular.com"]


class TestWrite:
    def test_fills_every_pattern_of_every_kind(self, everyday: list[LabelledUrl]) -> None:
        assert {one.pattern for one in everyday} == set(everyday_urls.kinds())
        assert not any({*"{} "} & {*one.url} for one in everyday)

    def test_writes_links_that_a_browser_opens_at_their_domain(self, everyday: list[LabelledUrl]) -> None:
        for one in everyday:
            opened = links_in("", extra=[one.url])

            assert [link.domain for link in opened] == [one.domain], one.url

    def test_draws_sites_from_the_list(self, everyday: list[LabelledUrl]) -> None:
        news = {one.domain for one in everyday if one.pattern == "news"}

        assert news == set(TWO_SITES)

    def test_the_same_seed_writes_the_same_links(self, everyday: list[LabelledUrl]) -> None:
        again = everyday_urls.write(TWO_SITES, generator=np.random.default_rng(1), urls_per_kind=120)

        assert again == everyday

    def test_writes_no_link_of_the_test(self) -> None:
        hosts = [urlsplit(url).netloc.removeprefix("www.") for url in EVERYDAY_LINKS]
        sites = [host for host in hosts if is_popular(host)]
        generator = np.random.default_rng(2)
        links = everyday_urls.write(sites, generator=generator, urls_per_kind=300)
        scams = everyday_urls.write(sites, generator=generator, urls_per_kind=300, label="scam")

        tested = {url.partition("://")[2].removeprefix("www.") for url in [*EVERYDAY_LINKS, *SCAM_LINKS]}
        assert not tested & {one.url.partition("://")[2] for one in [*links, *scams]}
        assert {one.is_bad for one in links} == {False}
        assert {one.is_bad for one in scams} == {True}
