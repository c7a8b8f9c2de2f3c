"""What was found behind a post's links and in its pictures. No tree reads these: scoring/evidence_model.py
joins them, towards spam only; pending evidence counts as none.

Of several pieces the most suspicious one counts; unopened ones are unknown.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scoring.evidence import CAPTIONS, MEDIA, PREVIEW, EvidencePiece, PageRead, PictureRead
from scoring.features.feature import MOST_HOPS, NO_MODELS, UNKNOWN, Evidence, Feature, ProofFeature, highest
from scoring.links import links_in
from scoring.records import PostRecord

SUB_MODEL = "evidence"

_PICTURES = (MEDIA, PREVIEW, CAPTIONS)


def _over_opened(record: PostRecord, *, measure: Callable[[EvidencePiece], float]) -> float:
    """Return the highest over the post's links and those in codes; pictures themselves have none."""
    return highest(measure(piece) for piece in record.evidence if piece.role not in _PICTURES)


def _over_pages(record: PostRecord, *, measure: Callable[[PageRead], bool | None]) -> float:
    return highest(float(value) for page in _pages(record) if (value := measure(page)) is not None)


def _over_pictures(record: PostRecord, *, measure: Callable[[PictureRead], int]) -> float:
    return highest(float(measure(piece.picture)) for piece in record.evidence if piece.picture is not None)


def _pages(record: PostRecord) -> Iterator[PageRead]:
    return (piece.page for piece in record.evidence if piece.page is not None)


def _leads_elsewhere(piece: EvidencePiece) -> float:
    return UNKNOWN if piece.leads_elsewhere is None else float(piece.leads_elsewhere)


def _password_elsewhere(record: PostRecord) -> float:
    """A form that asks for a password behind a link that led to another site than it names."""
    return highest(
        float(piece.page.asks_password and bool(piece.leads_elsewhere))
        for piece in record.evidence
        if piece.page is not None
    )


def _web_codes(picture: PictureRead) -> int:
    return sum(bool(links_in(code)) for code in picture.codes)


def _read(name: str, *, meaning: str, why: str) -> Feature:
    """The probability of the release's reader, which the pipeline computes."""
    return Feature(name=name, unit="probability", meaning=meaning, why=why, evidence=Evidence.PROOF)


# In the order of the kinds of scoring/readings.py.
READ = (
    _read(
        "content.page_probability",
        meaning="What the reader of evidence makes of the pages behind links and codes, the highest; unknown "
        "without one",
        why="The text is harmless, the page is not",
    ),
    _read(
        "content.picture_probability",
        meaning="What it makes of the text in pictures, the highest; unknown without one",
        why="What a picture says is read by no filter of texts",
    ),
    _read(
        "content.transcript_probability",
        meaning="What it makes of the captions of videos, the highest; unknown without one",
        why="A video on a trusted host says what the post does not",
    ),
)

_FOUND: tuple[Feature, ...] = (
    ProofFeature(
        name="context.page_password_sent_elsewhere",
        unit="0 or 1",
        meaning="1 if a form of a page asks for a password and posts to another host",
        why="A copied login page sends what is typed to its thief",
        compute=partial(_over_pages, measure=lambda page: page.sends_password_elsewhere),
    ),
    Feature(
        name="context.page_password_elsewhere",
        unit="0 or 1",
        meaning="1 if a page asks for a password that is on another site than its link names",
        why="Phishing hides its host behind a redirect; so do honest walls of registration",
        compute=_password_elsewhere,
    ),
    ProofFeature(
        name="context.page_cloaked",
        unit="0 or 1",
        meaning="1 if a page shows a browser something else than a program that names itself; unknown if "
        "nobody looked twice",
        why="Cloaking shows moderators and filters a harmless page",
        compute=partial(_over_pages, measure=lambda page: page.differs_for_browser),
    ),
    Feature(
        name="context.page_differs_from_preview",
        unit="0 or 1",
        meaning="1 if a page is another one than the platform's preview of it said",
        why="The preview is made once; what stands behind it can be exchanged",
        compute=partial(_over_pages, measure=lambda page: page.differs_from_preview),
    ),
    Feature(
        name="context.page_offers_download",
        unit="0 or 1",
        meaning="1 if a page offers a file",
        why="Harmful programs come as an app that must be installed first",
        compute=partial(_over_pages, measure=lambda page: page.offers_download),
    ),
    Feature(
        name="context.link_leads_elsewhere",
        unit="0 or 1",
        meaning="1 if a link or a code ends on another site than it names",
        why="Shorteners and hacked sites stand before the domain that would be recognised",
        compute=partial(_over_opened, measure=_leads_elsewhere),
    ),
    Feature(
        name="context.link_hops",
        unit="addresses",
        meaning="Addresses through which the longest way from a link leads, five at most",
        why="Each hop is one more place to change where the link leads",
        compute=partial(_over_opened, measure=lambda piece: float(min(piece.hops, MOST_HOPS))),
    ),
    Feature(
        name="context.picture_codes",
        unit="codes",
        meaning="Codes with an address in one picture",
        why="A code in a picture is a link that no filter of texts sees",
        compute=partial(_over_pictures, measure=_web_codes),
    ),
)

FEATURES: tuple[Feature, ...] = (*READ, *_FOUND)
NAMES = tuple(feature.name for feature in FEATURES)


def row(record: PostRecord, *, read: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return all features of a record, given what the content model read (3,): float64 (n_features,)."""
    return np.array([*read, *(feature.value(record, models=NO_MODELS) for feature in _FOUND)])
