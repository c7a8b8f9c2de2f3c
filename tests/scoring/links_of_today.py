"""Links of 2025 and 2026, written by hand and never used in training."""

from pathlib import Path


def _listed(name: str) -> list[str]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


EVERYDAY_LINKS = _listed("everyday_links.txt")
SCAM_LINKS = _listed("scam_links.txt")
