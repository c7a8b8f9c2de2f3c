"""Everyday links by pattern: every kind is written, on its domains, and not the ones that test the model."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from scoring.known_domains import is_popular
from scoring.links import links_in
from tests.scoring.links_of_today import EVERYDAY_LINKS, SCAM_LINKS
from training import everyday_urls
from training.everyday_urls import EverydayUrl

SITES = ["popular.com", "known.org"]


@pytest.fixture(scope="module")
def written() -> list[EverydayUrl]:
    return everyday_urls.write(SITES, generator=np.random.default_rng(1), urls_per_kind=120)


class TestWrite:
    def test_fills_every_pattern_of_every_kind(self, written: list[EverydayUrl]) -> None:
        assert {one.kind for one in written} == set(everyday_urls.kinds())
        assert not any({*"{} "} & {*one.labelled.url} for one in written)

    def test_writes_links_that_a_browser_opens_at_their_domain(self, written: list[EverydayUrl]) -> None:
        for one in written:
            opened = links_in("", extra=[one.labelled.url])

            assert [link.domain for link in opened] == [one.labelled.domain], one.labelled.url

    def test_draws_sites_from_the_list(self, written: list[EverydayUrl]) -> None:
        news = {one.labelled.domain for one in written if one.kind == "news"}

        assert news == set(SITES)

    def test_the_same_seed_writes_the_same_links(self, written: list[EverydayUrl]) -> None:
        again = everyday_urls.write(SITES, generator=np.random.default_rng(1), urls_per_kind=120)

        assert again == written

    def test_writes_no_link_of_the_test(self) -> None:
        hosts = [urlsplit(url).netloc.removeprefix("www.") for url in EVERYDAY_LINKS]
        sites = [host for host in hosts if is_popular(host)]
        generator = np.random.default_rng(2)
        links = everyday_urls.write(sites, generator=generator, urls_per_kind=300)
        scams = everyday_urls.write(sites, generator=generator, urls_per_kind=300, label="scam")

        tested = {url.partition("://")[2].removeprefix("www.") for url in [*EVERYDAY_LINKS, *SCAM_LINKS]}
        assert not tested & {one.labelled.url.partition("://")[2] for one in [*links, *scams]}
        assert {one.labelled.is_bad for one in links} == {False}
        assert {one.labelled.is_bad for one in scams} == {True}


def test_popular_domains_leaves_out_what_anyone_may_write_to_and_what_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "popular.csv"
    path.write_text("Known.org\nbit.ly\nblogspot.co.uk\nweebly.com\nseen-bad.com\n\npopular.com\n")

    assert everyday_urls.popular_domains(path, without={"seen-bad.com"}) == ["known.org", "popular.com"]
