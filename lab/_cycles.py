"""The cycle of a trial of adaptation: decide, make the next release, promote it, measure.

Import after Django is set up.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.core.management import call_command

from deploy.local.places import ROOT
from lab._measured import Answers, Measured, measured
from lab._platform import NewPlatform
from lab._promises import BEFORE, CEILING, CONTENT, PRODUCT, TFIDF
from lab._source import Halves
from moderation import scorer
from scoring.content import ContentScore
from training import labelled_posts, peer
from training.served_content import Opened

_JUDGE_POSTS = 4_000
"""As many simulated posts judge a candidate as `next_release` takes unless told otherwise."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What one seed came to: measurements by number of decisions and by whom, and by how much each measure of
    another source changed.
    """

    found: dict[tuple[str, str], Measured]
    others: dict[str, float]


class Trials:
    """Trials of one source on a product that runs; each seed begins with the release that is live now."""

    def __init__(self, *, out: Path, repository: Path, judge: Path | None, others: Sequence[Path]) -> None:
        self.base_id = scorer.release().id
        self._out, self._repository = out, repository
        self._others = {path.stem: labelled_posts.load([path]) for path in others}
        self._known: dict[str, ContentScore] = {}
        out.mkdir(parents=True, exist_ok=True)
        self._judge = judge or out.parent / f"simulated-{_JUDGE_POSTS}.jsonl"
        if not self._judge.exists():
            call_command("simulate_records", posts=_JUDGE_POSTS, seed=4_711, out=self._judge)

    def run(self, halves: Halves, *, seed: int, sizes: Sequence[int]) -> Trial:
        """Let a new platform go through all numbers of decisions that its half allows."""
        slug = f"{self._out.name.replace('_', '-')}-{seed}"
        found: dict[tuple[str, str], Measured] = {}
        others: dict[str, float] = {}
        with NewPlatform(slug=slug, texts=halves.arriving) as platform:
            found |= _of_product(platform, halves, decisions=BEFORE)
            for size in [*(size for size in sizes if size <= len(halves.arriving)), len(halves.arriving)]:
                name = CEILING if size == len(halves.arriving) else str(size)
                begun = time.monotonic()
                platform.decide(size)
                self._learn(slug, size=name)
                found |= _of_product(platform, halves, decisions=name)
                found[(name, TFIDF)] = measured(_peer(platform, halves))
                if name != CEILING:
                    others = self._changes()
                drawn = sum(one.is_drawn for one in platform.decided)
                _say(
                    f"seed {seed}, {name} decisions: {platform.arrived} posts had arrived, {drawn} drawn at "
                    f"random; {found[(name, PRODUCT)].line}; {time.monotonic() - begun:.0f} s"
                )
        if scorer.newest() != self.base_id:
            call_command("rollback", to=self.base_id)
        return Trial(found=found, others=others)

    def _learn(self, slug: str, *, size: str) -> None:
        """Run the cycle as users do; say why nothing new is live, if so."""
        out = self._out / slug / size
        out.mkdir(parents=True)
        log = out / "log.txt"
        words = ["next_release", "--platform", slug, "--out", str(out)]
        words += [
            "--data",
            str(self._judge.resolve()),
            "--judge-posts",
            "0",
            "--repository",
            str(self._repository),
        ]
        if not _manage(words, log=log):
            _say(f"{slug}, {size} decisions: nothing was made: {_last_line(log)}")
            return
        for line in log.read_text().splitlines():
            if "NO HEAD" in line:
                _say(line)
        report = out / "report" / "report.json"
        words = ["promote", str(out / "candidate"), "--report", str(report)]
        if not _manage([*words, "--repository", str(self._repository)], log=log):
            _say(f"{slug}, {size} decisions: not promoted: {_last_line(log)}")
        scorer.forget()

    def _changes(self) -> dict[str, float]:
        """Return by how much ROC-AUC and F1 of each other source changed, as bare posts of another
        platform.
        """
        changes = {}
        before, after = scorer.current().of(self.base_id), scorer.current().live()
        for name, posts in self._others.items():
            records = [post.record for post in posts]
            is_spam = np.array([post.is_spam for post in posts])
            first, second = (
                measured(
                    Answers(
                        is_spam=is_spam,
                        probabilities=Opened(
                            scorer=one, content=scorer.current().content_of(one.release.id), known=self._known
                        ).judge(records),
                    )
                )
                for one in (before, after)
            )
            changes[f"{name} ROC-AUC"] = second.roc_auc - first.roc_auc
            changes[f"{name} F1"] = second.f1 - first.f1
        return changes


def _of_product(platform: NewPlatform, halves: Halves, *, decisions: str) -> dict[tuple[str, str], Measured]:
    scored = platform.answers(halves.unseen)
    return {
        (decisions, PRODUCT): measured(scored.product),
        (decisions, CONTENT): measured(scored.content),
    }


def _peer(platform: NewPlatform, halves: Halves) -> Answers:
    """Return what TF-IDF makes of the unseen half after the platform's decisions."""
    texts = [one.text for one in platform.decided]
    said = peer.on_few(
        [text.text for text in texts],
        is_spam=[text.is_spam for text in texts],
        asked=[text.text for text in halves.unseen],
    )
    return Answers(is_spam=np.array([text.is_spam for text in halves.unseen]), probabilities=said)


def _manage(words: Sequence[str], *, log: Path) -> bool:
    """Run a management command, its output behind what the log holds; return whether it went well."""
    with log.open("a", encoding="utf-8") as file:
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return done.returncode == 0


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "see the log")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
