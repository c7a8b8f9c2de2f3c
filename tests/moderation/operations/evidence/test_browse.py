"""Links are opened again as a browser where a platform wants it; rules of sites, if the operator obeys."""

import time
from collections.abc import Callable

import pytest
from pytest_django import Settings

from moderation.models import DeskSettings, Evidence, Platform, Revision
from moderation.models.evidence import EvidenceState
from moderation.models.platforms import Collecting
from moderation.models.posts import ScoreState
from moderation.operations.evidence import collect, robots
from moderation.queries.evidence import findings
from moderation.queries.records import records
from tests.moderation.fakes import FakeScorer
from tests.moderation.instants import AT, later
from tests.moderation.operations.evidence.conftest import Fetched, Scored
from tests.moderation.operations.evidence.hostile_site import ANSWERS, HostileSite, redirects, sends


@pytest.fixture
def looked_twice(site: HostileSite, scored: Scored) -> Callable[..., tuple[Revision, dict[str, Evidence]]]:
    """Post a link, open it both ways in the order of their ids, and return the rows by kind."""

    def run(path: str, *, is_reversed: bool = False) -> tuple[Revision, dict[str, Evidence]]:
        Platform.objects.update(browses_evidence=Collecting.ON)
        revision = scored(site.url(path), at=AT)
        ids = list(Evidence.objects.order_by("-id" if is_reversed else "id").values_list("pk", flat=True))
        for evidence_id in ids:
            collect.run(evidence_id=evidence_id, at=later(1))
        revision.refresh_from_db()
        return revision, {row.kind: row for row in Evidence.objects.all()}

    return run


LookedTwice = Callable[..., tuple[Revision, dict[str, Evidence]]]


@pytest.mark.whole
class TestBrowse:
    @pytest.mark.parametrize(
        ("browses", "probability", "is_browsed"),
        [
            (Collecting.OFF, 0.5, False),
            (Collecting.UNSURE, 0.5, True),
            (Collecting.UNSURE, 0.1, False),
            (Collecting.ON, 0.1, True),
        ],
    )
    def test_is_browsed_as_the_platform_wishes(
        self,
        browses: Collecting,
        probability: float,
        is_browsed: bool,
        site: HostileSite,
        fake_scorer: FakeScorer,
        scored: Scored,
    ) -> None:
        Platform.objects.update(browses_evidence=browses)
        fake_scorer.default = probability

        for _ in range(2):
            scored(site.url("/page"), at=AT)

        kinds = list(Evidence.objects.order_by("id").values_list("kind", flat=True))
        assert sorted(kinds) == (["browser", "page"] if is_browsed else ["page"])

    @pytest.mark.drawn(4)
    @pytest.mark.parametrize("is_reversed", [False, True])
    @pytest.mark.parametrize(
        ("path", "differs"),
        [
            ("/cloaked", True),
            ("/cloaked-form", True),
            ("/cloaked-redirect", True),
            ("/tailored", False),
            ("/page", False),
            ("/empty-for-one", None),
            ("/blocked", None),
        ],
    )
    def test_a_cloaked_page_is_told_whichever_fetch_ends_first(
        self, path: str, differs: bool | None, is_reversed: bool, looked_twice: LookedTwice
    ) -> None:
        revision, rows = looked_twice(path, is_reversed=is_reversed)

        named = rows["page"]
        if named.state == EvidenceState.FETCHED:
            assert named.facts is not None
            assert named.facts["differs_for_browser"] is differs
        assert (revision.scoring.state == ScoreState.PENDING) == bool(differs)
        assert revision.scoring.generation == (2 if differs else 1)
        pages = [
            piece.page for piece in records.record_at(revision=revision, at=later(9)).evidence if piece.page
        ]
        assert len(pages) == (1 if differs is False else 2)
        assert len([one for one in findings.of(revision) if one.role != "preview"]) == len(pages)
        assert {page.differs_for_browser for page in pages} == {differs}

    def test_where_a_browser_is_led_counts_as_where_the_link_leads(self, looked_twice: LookedTwice) -> None:
        revision, _ = looked_twice("/cloaked-redirect")

        assert records.record_at(revision=revision, at=later(9)).links[0].hops == ("lands.example",)

    def test_a_page_that_says_nothing_of_its_preview_is_noted(self, looked_twice: LookedTwice) -> None:
        revision, _ = looked_twice("/bait")

        [piece] = records.record_at(revision=revision, at=later(9)).evidence
        assert piece.page is not None
        assert piece.page.differs_from_preview is True

    def test_asks_as_the_browser_that_the_operator_names(
        self, looked_twice: LookedTwice, site: HostileSite, settings: Settings
    ) -> None:
        settings.EVIDENCE_BROWSER_AGENT = "Mozilla/5.0 Example"

        looked_twice("/page")

        (_, named), (_, browser) = sorted(site.asked, key=lambda one: one[1]["user-agent"], reverse=True)
        assert "Spamdesk" in named["user-agent"] or "Spamdesk" in browser["user-agent"]
        assert "Mozilla/5.0 Example" in (named["user-agent"], browser["user-agent"])
        assert not {"cookie", "referer"} & (set(named) | set(browser))


STATE = EvidenceState
SITE = "https://site.example"
EVERYBODY = "User-agent: *\n"


class TestRobots:
    @pytest.fixture(autouse=True)
    def _obeyed(self, remembered: DeskSettings) -> None:
        remembered.evidence_obeys_robots = True

    @pytest.mark.parametrize(
        ("answer", "state"),
        [
            (redirects("/rules"), STATE.DISALLOWED),
            (redirects("/robots.txt"), STATE.FETCHED),
            (redirects("http://10.0.0.1/"), STATE.FETCHED),
            (sends(b"busy", status=503), STATE.DISALLOWED),
            (sends(b"User-agent: *\nDisallow: /", status=404), STATE.FETCHED),
        ],
    )
    def test_are_found_where_they_are(
        self,
        answer: Callable[..., None],
        state: EvidenceState,
        fetched: Fetched,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setitem(ANSWERS, "/rules", sends(b"User-agent: *\nDisallow: /*age", kind="text/plain"))
        monkeypatch.setitem(ANSWERS, "/robots.txt", answer)
        robots._kept.clear()

        assert fetched("/page").state == state

    @pytest.mark.parametrize(
        ("rules", "path", "allowed"),
        [
            ("", "/a", True),
            (EVERYBODY + "Disallow:", "/a", True),
            (EVERYBODY + "Disallow: /", "", False),
            (EVERYBODY + "Disallow: /*", "/a", False),
            (EVERYBODY + "Disallow: /*.pdf$", "/a/b.pdf", False),
            (EVERYBODY + "Disallow: /*.pdf$", "/a/b.pdf?page=1", True),
            (EVERYBODY + "Disallow: /a*b*c$", "/a-b-b-c-c", False),
            (EVERYBODY + "Disallow: /a*aa$", "/aa", True),
            (EVERYBODY + "Disallow: /$", "/", False),
            (EVERYBODY + "Disallow: /$", "/a", True),
            (EVERYBODY + "Disallow: /\nAllow: /public", "/public/a", True),
            (EVERYBODY + "Allow: /\nDisallow: /x", "/x/a", False),
            (EVERYBODY + "Allow: /x\nDisallow: /x", "/x", True),
            (EVERYBODY + "\nDisallow: /x", "/x", False),
            (EVERYBODY + "Disallow: /x # not /y\nCrawl-delay: 9", "/y", True),
            (EVERYBODY + "Disallow: /x?q=", "/x?q=1", False),
            (EVERYBODY + "Disallow: /f\u00fcr", "/f%C3%BCr", False),
            (EVERYBODY + "Disallow: /%7Ea", "/~a", False),
            ("\ufeff" + EVERYBODY + "Disallow: /", "/a", False),
            ("USER-AGENT: spamDESK\ndisallow: /", "/a", False),
            ("User-agent: Spamdesk/2.0\nDisallow: /", "/a", False),
            ("User-agent: desk\nDisallow: /", "/a", True),
            ("User-agent: Other\nUser-agent: Spamdesk\nDisallow: /", "/a", False),
            ("User-agent: Spamdesk\nDisallow: /a\n\nUser-agent: Spamdesk\nDisallow: /b", "/a", False),
            ("User-agent: Spamdesk\nDisallow:\n\n" + EVERYBODY + "Disallow: /", "/a", True),
            ("Disallow: /", "/a", True),
            ("Disallow\n:\n\u2028: /\nUser-agent:\nDisallow: /", "/a", True),
        ],
    )
    def test_the_longest_rule_of_ones_own_group_counts(self, rules: str, path: str, allowed: bool) -> None:
        assert robots.parse(rules, name="Spamdesk").allow(SITE + path) == allowed

    @pytest.mark.parametrize(
        "rules",
        [
            EVERYBODY + ("Disallow: /" + "*a" * 200 + "b\n") * 1_200,
            EVERYBODY + "Disallow: /\n" * 40_000,
            EVERYBODY * 35_000,
            "".join(f"User-agent: a{name}\n" for name in range(20_000)) + "Disallow: /a\n" * 15_000,
        ],
    )
    def test_no_rules_take_long(self, rules: str) -> None:
        began = time.process_time()

        robots.parse(rules, name="Spamdesk").allow(f"{SITE}/{'a' * 2_000}")

        assert time.process_time() - began < 3
