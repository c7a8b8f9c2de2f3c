"""The whole cycle with real parts: decisions by API, export, next release, promotion, better scores."""

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient
from sklearn.metrics import roc_auc_score

from deploy.local import ports
from deploy.local.places import ROOT
from moderation import scorer
from moderation.models import Case, Platform, Revision, Score
from moderation.operations.outbox import feed
from moderation.operations.scoring import score
from scoring.blocklist import Blocklist
from scoring.records import PostRecord
from scoring.splits import Split, split_of
from tests import releases
from tests.moderation.api.conftest import api, lead_api, secret
from tests.moderation.operations.conftest import own_releases
from tests.scoring.platform_posts import decisions
from tests.scoring.random_records import labelled

__all__ = ["api", "lead_api", "own_releases", "secret"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_releases"),
    pytest.mark.train,
    pytest.mark.xdist_group("triton"),
    pytest.mark.timeout(900),
]

POSTS, UNSEEN = 150, 60


@pytest.fixture
def everything_to_humans(tmp_path: Path, settings: Settings) -> None:
    """A live release that decides nothing by itself, so that moderators see every post."""
    live = releases.release(
        tmp_path / "live", thresholds={"review_from": 0.0, "remove_from": 1.0, "audit_rate": 0.0}
    )
    settings.RELEASE_DIR = live.folder
    scorer.forget()


@pytest.fixture
def judged_by(tmp_path: Path) -> Path:
    """Records of the test part, to see that nothing else is lost."""
    groups = [
        group for group in (f"held-{number}" for number in range(4_000)) if split_of(group) is Split.TEST
    ]
    path = tmp_path / "records.jsonl"
    with path.open("w") as lines:
        for one, group in zip(labelled(240), groups, strict=False):
            stored = {
                "record": one.record.to_json(),
                "is_spam": one.is_spam,
                "kind": one.kind,
                "group": group,
            }
            lines.write(json.dumps(stored) + "\n")
    return path


def send(api: APIClient, *, count: int, seed: int, posted_at: datetime) -> dict[str, bool]:
    """Send posts of a platform whose script the content model does not read; return what each is."""
    truth: dict[str, bool] = {}
    generator = np.random.default_rng(seed)
    for one in decisions(count, seed=seed):
        said = one.record.text.rpartition(" ")[0]
        chatter = " ".join("".join(generator.choice(list("абвгдежзиклмнопрст"), 5)) for _ in range(6))
        payload = {
            "external_id": one.record.external_id,
            "revision": 1,
            "text": f"{said} {chatter}",
            "language": "ru",
            "posted_at": posted_at.isoformat(),
            "author": {"external_id": f"author-{seed}-{len(truth)}"},
        }
        assert api.post("/api/v1/posts", payload, format="json").status_code == 202
        truth[one.record.external_id] = one.is_spam
    return truth


def score_all(truth: dict[str, bool], *, at: datetime) -> list[Score]:
    revisions = Revision.objects.filter(post__external_id__in=truth).values_list("pk", flat=True)
    for start in range(0, len(revisions), 50):
        score.run(revision_ids=list(revisions[start : start + 50]), at=at)
    return list(Score.objects.filter(revision__in=list(revisions)).select_related("revision__post"))


@pytest.mark.long
@pytest.mark.usefixtures("everything_to_humans")
def test_decisions_make_a_release_that_scores_better(
    api: APIClient,
    lead_api: APIClient,
    platform: Platform,
    judged_by: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    now = timezone.now()
    before = scorer.release().id
    truth = send(api, count=POSTS, seed=1, posted_at=now)
    score_all(truth, at=now)
    for case in Case.objects.select_related("post"):
        verdict = "spam" if truth[case.post.external_id] else "not_spam"
        lead_api.put(f"/api/v1/claims/{case.pk}")
        answer = lead_api.post(
            f"/api/v1/cases/{case.pk}/decisions", {"verdict": verdict, "version": case.version}, format="json"
        )
        assert answer.status_code == 201, answer.content
    feed.sweep(at=now + timedelta(hours=1))
    out = tmp_path / "next"

    call_command("next_release", out=out, judge_posts=0, data=[judged_by])

    said = capfd.readouterr().out
    assert f"{platform.slug}: a head from" in said
    assert "questions passed" in said
    assert "NOT PASSED" not in said

    call_command("promote", out / "candidate", report=out / "report" / "report.json")

    scorer.forget()
    assert scorer.release().id != before
    unseen = send(api, count=UNSEEN, seed=2, posted_at=now)
    after = score_all(unseen, at=now + timedelta(hours=2))
    records = [PostRecord.from_json(one.record) for one in after]
    by_the_old = [
        one.spam_probability for one in scorer.current().of(before).score_many(records, blocklist=Blocklist())
    ]
    by_the_new = [one.spam_probability for one in after]
    is_spam = [unseen[one.revision.post.external_id] for one in after]
    assert {one.release_id for one in after} == {scorer.release().id}
    assert roc_auc_score(is_spam, by_the_new) > 0.9
    assert roc_auc_score(is_spam, by_the_new) > roc_auc_score(is_spam, by_the_old) + 0.1


def test_a_database_that_is_away_is_told_from_a_failure(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "next_release", "--out", str(tmp_path / "next")]
    gone = os.environ | {"DATABASE_URL": f"postgresql://nobody:none@127.0.0.1:{ports.free()}/none"}

    done = subprocess.run(command, cwd=ROOT, env=gone, capture_output=True, text=True, check=False)

    assert (done.returncode, "The database is away" in done.stderr) == (os.EX_TEMPFAIL, True), done.stderr


def test_without_a_final_decision_there_is_nothing_to_learn(platform: Platform, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nothing to learn from"):
        call_command("next_release", out=tmp_path / "next", judge_posts=0)
