"""Pictures of the simulated web: a pool of few hundred, so that each need be read once, named by digests."""

import functools
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from simulation import hosts
from simulation.texts import Families, Text, curated
from simulation.web import families, wording
from simulation.web.families import Family
from simulation.web.sites import Site


class Show(StrEnum):
    """What a picture shows."""

    POSTER = "poster"
    """Title, words and a button of a page."""
    WORDS = "words"
    """The text of a post, as a picture."""
    CODE = "code"
    """A QR code with few words."""
    PHOTO = "photo"
    """No text at all."""


class Alteration(StrEnum):
    """How a known picture is changed, so that it is not known again."""

    NONE = "none"
    MIRRORED = "mirrored"
    CROPPED = "cropped"
    RECOMPRESSED = "recompressed"


# By what is shown: variants of each family that models may learn from, and those that are held out.
_VARIANTS = {Show.POSTER: 4, Show.WORDS: 1, Show.CODE: 1, Show.PHOTO: 60}
_HELD_OUT_VARIANTS = {Show.POSTER: 4, Show.WORDS: 2, Show.CODE: 1, Show.PHOTO: 30}
_FORMATS = ("png", "jpg", "jpg", "webp")
_TEXT_CHARACTERS = 260


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of the pool; everything about it follows from these fields."""

    show: Show
    family: str
    variant: int
    is_hostile: bool
    is_held_out: bool
    alteration: Alteration = Alteration.NONE

    @property
    def name(self) -> str:
        """Return the file's name, which says nothing about what the picture shows."""
        identity = f"{self.show} {self.family} {self.variant} {self.is_held_out} {self.alteration}"
        digest = sha256(identity.encode()).hexdigest()
        return f"{digest[:14]}.{_FORMATS[int(digest[14], 16) % len(_FORMATS)]}"

    @property
    def rng(self) -> random.Random:
        """Return the chances of this picture, the same for all its alterations."""
        return random.Random(f"picture {self.show} {self.family} {self.variant} {self.is_held_out}")


def choose(
    show: Show, *, is_hostile: bool, held_out: bool, kind: str, alteration: Alteration, rng: random.Random
) -> Picture:
    """Return a picture of the pool; `kind` is that of the post which shows it."""
    family = rng.choice(_families(show, is_hostile=is_hostile, held_out=held_out, kind=kind))
    many = (_HELD_OUT_VARIANTS if held_out else _VARIANTS)[show]
    return Picture(
        show=show,
        family=family,
        variant=rng.randrange(many),
        is_hostile=is_hostile,
        is_held_out=held_out,
        alteration=alteration,
    )


@functools.cache
def pool() -> Mapping[str, Picture]:
    """Return every picture by name."""
    by_name: dict[str, Picture] = {}
    for show in Show:
        for is_hostile in (True, False) if show != Show.PHOTO else (False,):
            for held_out in (True, False):
                for family in _families(show, is_hostile=is_hostile, held_out=held_out, kind=""):
                    for variant in range((_HELD_OUT_VARIANTS if held_out else _VARIANTS)[show]):
                        for alteration in Alteration:
                            picture = Picture(
                                show=show,
                                family=family,
                                variant=variant,
                                is_hostile=is_hostile,
                                is_held_out=held_out,
                                alteration=alteration,
                            )
                            by_name[picture.name] = picture
    return by_name


def lines(picture: Picture) -> tuple[str, ...]:
    """Return the texts of a picture from top to bottom, none of a photo."""
    rng = picture.rng
    match picture.show:
        case Show.PHOTO:
            return ()
        case Show.WORDS:
            return (_post(picture, rng=rng),)
        case Show.CODE:
            # Half of them say nothing themselves: only the page behind the code does.
            family = families.families()[picture.family]
            return (rng.choice(wording.words("scan")), *poster(family, rng=rng)[: rng.randint(0, 1)])
        case Show.POSTER:
            return poster(families.families()[picture.family], rng=rng)


def code(picture: Picture) -> str:
    """Return the address in the picture's code, "" for a picture without one."""
    return _site(picture).urls[0] if picture.show == Show.CODE else ""


@functools.cache
def code_sites() -> tuple[Site, ...]:
    """Return where the codes of all pictures lead."""
    return tuple(
        _site(picture)
        for picture in pool().values()
        if picture.show == Show.CODE and picture.alteration == Alteration.NONE
    )


def _site(picture: Picture) -> Site:
    rng = picture.rng
    host = (hosts.spam_host if picture.is_hostile else hosts.talk_host)(rng=rng)
    url = hosts.url_on(host, is_spam=picture.is_hostile, rng=rng)
    # A place of its own, also on hosts that everybody uses: codes of several pictures must not meet.
    url = f"{url.rstrip('/')}/q{rng.randrange(10**8)}" if "?" not in url else f"{url}q{rng.randrange(10**8)}"
    return Site(urls=(url,), family=picture.family, kind="", language="en", look=f"code {picture.family}")


def _families(show: Show, *, is_hostile: bool, held_out: bool, kind: str) -> Sequence[str]:
    """Return the families that show something; of posters and codes those that fit a kind of post, if any."""
    if show == Show.PHOTO:
        return ("photo",)
    if show == Show.WORDS:
        names = [name for name, texts in _english(held_out).items() if texts[0].kind.is_spam == is_hostile]
        return (kind,) if kind in names else names
    side = families.of_side(is_hostile=is_hostile, held_out=held_out)
    fitting = families.page_kinds(kind) if kind else ()
    return [family.name for family in side if family.kind in fitting] or [family.name for family in side]


def _post(picture: Picture, *, rng: random.Random) -> str:
    return rng.choice(_english(picture.is_held_out)[picture.family]).text[:_TEXT_CHARACTERS]


@functools.cache
def _english(is_held_out: bool) -> Mapping[str, Sequence[Text]]:  # noqa: FBT001 - private, for its cache
    """Return the English texts of each family of posts, of those that are kept out or of the others."""
    by_kind: dict[str, list[Text]] = defaultdict(list)
    for text in curated(Families.KEPT_OUT if is_held_out else Families.TRAIN):
        if text.language == "en":
            by_kind[text.kind.name].append(text)
    return by_kind


def poster(family: Family, *, rng: random.Random) -> tuple[str, ...]:
    """Return the texts of a poster of a family, from top to bottom."""
    texts = wording.english(family, site=wording.owner(family), rng=rng)
    return (texts.title, *texts.paragraphs[: rng.randint(1, 2)], texts.calls[0])
