"""Labels by rule, for texts that nobody has judged: cheap, many, and wrong now and then.

A rule answers spam, not spam or nothing; a text gets a label only if rules speak and none disagrees (weak
supervision, Ratner et al., Snorkel, 2017, in its simplest form). `measure` says how often each is right.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scoring import similarity
from scoring.normalise import normalise
from training import labelled_lines
from training.dataset import Example, Provenance
from training.labelled_lines import LabelledLine, Malformed


@dataclass(frozen=True)
class Rule:
    """Gives `label` (1 spam) to a normalised text in which the pattern is found."""

    name: str
    label: int
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class RuleQuality:
    """Quality of a rule on texts labelled by people: how many it labels, and the share that is right."""

    rule: str
    label: int
    labelled: int
    right: float


def _rule(name: str, label: int, pattern: str) -> Rule:
    return Rule(name=name, label=label, pattern=re.compile(pattern, re.IGNORECASE | re.DOTALL))


_LINK = r"(?:https?://|www\.|\b\w+\.(?:com|net|org|info|xyz|top|io)\b)"
_MONEY = r"(?:[\u00a3$\u20ac]\s?\d|\d\s?(?:usd|usdt|eth|btc|sol)\b)"

_SELLING = (
    r"\b(?:subscribe|channel|check|prize|won|claim|free|cash|airdrop|giveaway|token|crypto|click|buy)\b"
)

RULES: Sequence[Rule] = (
    _rule(
        "prize_to_claim",
        1,
        r"\b(?:won|winner|awarded|selected)\b.{0,80}\b(?:prize|cash|reward|voucher|claim)\b",
    ),
    _rule("premium_number", 1, r"\b(?:call|txt|text)\b.{0,40}\b(?:09\d{8,9}|08[47]\d{7,8}|\d{5})\b"),
    _rule("toll_free_drugs", 1, r"\b(?:viagra|cialis|xanax|tramadol|pills|pharmacy)\b"),
    _rule("subscribe_to_me", 1, r"\b(?:subscribe|sub)\b.{0,30}\b(?:me|my|back)\b|\bcheck out my\b"),
    _rule("airdrop_with_link", 1, rf"\b(?:airdrop|giveaway|presale|whitelist)\b.*{_LINK}"),
    _rule(
        "verify_account_link", 1, rf"\b(?:verify|confirm|suspended|unusual)\b.{{0,60}}\baccount\b.*{_LINK}"
    ),
    _rule(
        "earn_from_home",
        1,
        rf"\b(?:earn|make|profit)\b.{{0,30}}{_MONEY}.{{0,40}}\b(?:day|daily|week|hour|home)\b",
    ),
    _rule("guaranteed_return", 1, r"\bguaranteed?\b.{0,30}\b(?:profit|return|income|win)\b"),
    _rule("short_chat", 0, rf"\A(?!.*{_LINK})(?!.*{_SELLING})(?!.*[\d\u00a3$@#]).{{2,60}}\Z(?<!!!)"),
    _rule(
        "talk_of_us",
        0,
        rf"\A(?!.*{_LINK})(?!.*\d{{4}}).*\b(?:my (?:mum|mom|dad|sister|brother)|miss you|love you|c u|lol)\b",
    ),
)


def label(text: str) -> int | None:
    """Return 1 for spam, 0 for not spam, None if no rule applies or two disagree."""
    labels = {rule.label for rule in _speaking(text)}
    return labels.pop() if len(labels) == 1 else None


def load(path: Path) -> list[Example]:
    """Read JSON lines with a `text`, and label them where rules agree. Raises Malformed."""
    texts = [_text(line) for line in labelled_lines.lines(path)]
    return [
        _example(text, label=verdict, source=path.stem)
        for text in texts
        if (verdict := label(text)) is not None
    ]


def measure(examples: Sequence[Example]) -> list[RuleQuality]:
    """Count how often each rule is right on labelled texts; rules that never apply there are left out."""
    tally: dict[str, list[bool]] = {}
    for example in examples:
        for rule in _speaking(example.text):
            tally.setdefault(rule.name, []).append(rule.label == example.label)
    return [
        RuleQuality(rule=rule.name, label=rule.label, labelled=len(right), right=sum(right) / len(right))
        for rule in RULES
        if (right := tally.get(rule.name))
    ]


def _speaking(text: str) -> list[Rule]:
    plain = normalise(text[:2_000]).text
    return [rule for rule in RULES if rule.pattern.search(plain)]


def _text(line: LabelledLine) -> str:
    text = line.stored.get("text")
    if not isinstance(text, str):
        raise Malformed(f"{line.where}: text: expected a string")
    return text


def _example(text: str, *, label: int, source: str) -> Example:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    bands = similarity.bands(text)
    return Example(
        id=digest,
        source=source,
        text=text,
        label=label,
        group=str(bands[0]) if bands else digest,
        provenance=Provenance.RULE,
    )
