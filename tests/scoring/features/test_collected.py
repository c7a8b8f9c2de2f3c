"""What is known of pages, pictures and the ways to them, by table."""

import numpy as np
import pytest

from scoring.evidence import CODE, LINK, MEDIA, EvidencePiece, PageRead, PictureRead
from scoring.features import collected
from tests.scoring.random_records import record

UNKNOWN = float("nan")
LOGIN = PageRead(title="Sign in", asks_password=True)
THIEF = PageRead(asks_password=True, sends_password_elsewhere=True, offers_download=True)
STAYS = EvidencePiece(role=LINK, leads_elsewhere=False, page=LOGIN)
LEADS = EvidencePiece(role=LINK, leads_elsewhere=True, hops=9, page=LOGIN)
CODES = PictureRead(codes=("http://takes.example/", "4006381333931"))


def value_of(name: str, *pieces: EvidencePiece) -> float:
    row = collected.row(record(evidence=pieces), read=np.full(3, np.nan))
    return float(row[collected.NAMES.index(f"context.{name}")])


@pytest.mark.parametrize(
    ("name", "piece", "expected"),
    [
        ("page_password_sent_elsewhere", STAYS, 0),
        ("page_password_sent_elsewhere", EvidencePiece(role=CODE, page=THIEF), 1),
        ("page_password_elsewhere", STAYS, 0),
        ("page_password_elsewhere", LEADS, 1),
        ("page_cloaked", STAYS, UNKNOWN),
        ("page_cloaked", EvidencePiece(role=LINK, page=PageRead(differs_for_browser=False)), 0),
        ("page_cloaked", EvidencePiece(role=LINK, page=PageRead(differs_for_browser=True)), 1),
        ("page_differs_from_preview", EvidencePiece(role=LINK, page=PageRead(differs_from_preview=True)), 1),
        ("page_offers_download", STAYS, 0),
        ("page_offers_download", EvidencePiece(role=LINK, page=THIEF), 1),
        ("link_leads_elsewhere", STAYS, 0),
        ("link_leads_elsewhere", LEADS, 1),
        ("link_leads_elsewhere", EvidencePiece(role=LINK, state="timed_out"), UNKNOWN),
        ("link_leads_elsewhere", EvidencePiece(role=MEDIA, leads_elsewhere=True), UNKNOWN),
        ("link_hops", LEADS, 5),
        ("picture_codes", STAYS, UNKNOWN),
        ("picture_codes", EvidencePiece(role=MEDIA, picture=CODES), 1),
    ],
)
def test_of_one_piece(name: str, piece: EvidencePiece, expected: float) -> None:
    np.testing.assert_equal(value_of(name, piece), float(expected))


def test_the_most_suspicious_piece_counts() -> None:
    both = {name: value_of(name.partition(".")[2], STAYS, LEADS) for name in collected.NAMES[3:]}

    assert both["context.link_leads_elsewhere"] == both["context.page_password_elsewhere"] == 1
    assert both["context.link_hops"] == 5


def test_without_evidence_everything_is_unknown() -> None:
    assert np.isnan(collected.row(record(), read=np.full(3, np.nan))).all()


def test_what_was_read_is_taken_as_it_is() -> None:
    """page_probability, picture_probability, transcript_probability."""
    row = collected.row(record(), read=np.array([0.9, np.nan, 0.1]))

    np.testing.assert_equal(row[:3], [0.9, np.nan, 0.1])
