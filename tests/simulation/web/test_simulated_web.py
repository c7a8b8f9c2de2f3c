"""Sites answer as they were planned: redirects, tricks, pictures; always the same."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moderation.evidence import page, picture
from simulation.web import pages, pictures, register
from simulation.web.pictures import Alteration, Show
from simulation.web.simulated_web import PICTURE_PATH, Reply, SimulatedWeb
from simulation.web.sites import Behaviour, Site, key

AT = datetime(2026, 3, 1, tzinfo=UTC)
BROWSER, SPAMDESK = "Mozilla/5.0 Firefox/140", "Mozilla/5.0 (compatible; Spamdesk/0.1)"
HOSTILE, FACE = "phishing_login.notice", "recipe.kitchen"


def site(*urls: str, behaviour: Behaviour = Behaviour.PLAIN, refreshes: bool = False) -> Site:
    return Site(
        urls=urls or ("https://shop.example/a?b=1",),
        family=HOSTILE,
        kind="phishing_notice",
        language="en",
        look="look",
        behaviour=behaviour,
        face=FACE,
        turns_at=AT + timedelta(hours=1) if behaviour == Behaviour.TURNS else None,
        refreshes=refreshes,
    )


def ask(one: Site, *, agent: str = BROWSER, at: datetime = AT, number: int = 0) -> Reply | None:
    return SimulatedWeb([one]).answer(one.urls[number], agent=agent, at=at)


def body(reply: Reply | None) -> str:
    assert reply is not None
    return reply.body.decode()


HOSTILE_PAGE = pages.page(site(), is_face=False)
FACE_PAGE = pages.page(site(), is_face=True)


@pytest.mark.parametrize(
    ("behaviour", "agent", "after", "said"),
    [
        (Behaviour.PLAIN, SPAMDESK, 0, HOSTILE_PAGE),
        (Behaviour.CLOAKED, SPAMDESK, 0, FACE_PAGE),
        (Behaviour.CLOAKED, BROWSER, 0, HOSTILE_PAGE),
        (Behaviour.TURNS, BROWSER, 0, FACE_PAGE),
        (Behaviour.TURNS, SPAMDESK, 2, HOSTILE_PAGE),
    ],
)
def test_a_site_shows_its_page_or_its_face(behaviour: Behaviour, agent: str, after: int, said: str) -> None:
    shown = body(ask(site(behaviour=behaviour), agent=agent, at=AT + timedelta(hours=after)))

    assert shown == said
    assert HOSTILE_PAGE != FACE_PAGE


def test_a_harmless_preview_stands_over_a_hostile_page() -> None:
    facts = page.read(body(ask(site(behaviour=Behaviour.PREVIEW))).encode(), {"url": "https://shop.example/"})

    assert facts.open_graph["og:title"] != facts.title


def test_a_dead_site_does_not_answer_and_a_gone_page_is_missing() -> None:
    assert ask(site(behaviour=Behaviour.DEAD)) is None
    gone = ask(site(behaviour=Behaviour.GONE))
    unknown = SimulatedWeb().answer("https://who.example/", agent=BROWSER, at=AT)
    assert gone is not None
    assert unknown is not None
    assert gone.status == unknown.status == 404


@pytest.mark.parametrize("refreshes", [False, True])
def test_a_chain_leads_to_its_end(refreshes: bool) -> None:
    one = site("https://lnk.example/x", "https://b.test/", "https://c.invalid/d", refreshes=refreshes)

    first, second, last = (ask(one, number=number) for number in range(3))

    assert first is not None
    assert second is not None
    assert first.location == one.urls[1]
    refresh_url = page.read(second.body, {"url": one.urls[1]}).refresh_url if refreshes else second.location
    assert refresh_url == one.urls[2]
    assert "password" in body(last) or "account" in body(last).lower()


@pytest.mark.parametrize(
    "url", ["http://SHOP.example/a?b=1", "https://shop.example:8443/a?b=1#c", "https://shop.example/./a?b=1"]
)
def test_an_address_is_found_in_any_spelling(url: str) -> None:
    assert key(url) == key("https://shop.example/a?b=1")


def test_who_is_first_at_an_address_stays_there() -> None:
    first, second = site("https://a.example/"), site("https://a.example/", behaviour=Behaviour.GONE)

    reply = SimulatedWeb([first, second]).answer("https://a.example/", agent=BROWSER, at=AT)

    assert reply is not None
    assert reply.status == 200


def test_a_register_finds_what_was_written_since(tmp_path: Path) -> None:
    path = tmp_path / "simulation" / register.FILE
    known = register.Register(path)
    assert known.find(key("https://a.example/")) is None

    register.write([site("https://a.example/", "https://b.example/")], path=path)
    with path.open("a") as half:
        half.write('{"urls": ["https://c.exam')

    found = known.find(key("https://b.example/"))
    assert found == site("https://a.example/", "https://b.example/")
    assert known.find(key("https://c.example/")) is None
    web = SimulatedWeb(find=known.find)
    assert web.answer("https://a.example/", agent=BROWSER, at=AT) is not None


@pytest.mark.parametrize("show", list(Show))
def test_pictures_are_pictures_and_always_the_same(show: Show) -> None:
    one = next(one for one in pictures.pool().values() if one.show == show)

    reply = SimulatedWeb().answer(f"https://any.example{PICTURE_PATH}{one.name}", agent=BROWSER, at=AT)

    assert reply is not None
    assert reply.content_type.startswith("image/")
    facts = picture.read(reply.body, {})
    assert facts.pdq
    assert [code.text for code in facts.codes] == ([pictures.code(one)] if show == Show.CODE else [])


@pytest.mark.parametrize("alteration", [Alteration.MIRRORED, Alteration.RECOMPRESSED])
def test_an_altered_copy_has_other_bytes_and_looks_alike(alteration: Alteration) -> None:
    known, copy = (
        next(one for one in pictures.pool().values() if one.show == Show.PHOTO and one.alteration == wanted)
        for wanted in (Alteration.NONE, alteration)
    )

    facts, altered = (picture.read(body_of(one), {}) for one in (known, copy))

    assert body_of(known) != body_of(copy)
    assert any(_distance(altered.pdq, one) <= 60 for one in (facts.pdq, *facts.pdq_turned))


def body_of(one: pictures.Picture) -> bytes:
    reply = SimulatedWeb().answer(f"https://any.example{PICTURE_PATH}{one.name}", agent=BROWSER, at=AT)
    assert reply is not None
    return reply.body


def _distance(one: str, other: str) -> int:
    return (int(one, 16) ^ int(other, 16)).bit_count()
