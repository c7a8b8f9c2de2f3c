"""The commands promote and rollback: what they say when the live release stays."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from moderation.models import Promotion
from scoring.release import Release
from tests import releases
from tests.scoring.starter import STARTER

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_folder"),
    # A rollback unloads what no release of its own database needs: never beside tests that load.
    pytest.mark.xdist_group("triton"),
]


@pytest.fixture
def candidate(tmp_path: Path) -> Release:
    return releases.release(tmp_path / "candidate")


def written(report: object, folder: Path) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps(report))
    return path


class TestPromote:
    def test_names_what_the_gate_found(self, candidate: Release, tmp_path: Path) -> None:
        slower = {"live_p95_ms": 5.0, "candidate_p95_ms": 50.0}
        report = releases.report(candidate=candidate, live=Release.load(STARTER), latency=slower)

        with pytest.raises(
            CommandError, match=r"The live release stays(.|\n)*scores a post as fast: p95 5\.0"
        ):
            call_command("promote", str(candidate.folder), f"--report={written(report, tmp_path)}")

        assert not Promotion.objects.exists()

    def test_names_the_refusal(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match=r"The live release stays\. AlreadyLive"):
            call_command("promote", str(STARTER), f"--report={written({}, tmp_path)}")

    def test_names_the_folder_that_is_no_release(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match=r"Corrupt: .*manifest\.json: cannot be read"):
            call_command("promote", str(tmp_path), f"--report={written({}, tmp_path)}")

    @pytest.mark.parametrize("report", ["[]", "no report"])
    def test_refuses_what_is_no_report(self, candidate: Release, tmp_path: Path, report: str) -> None:
        path = tmp_path / "report.json"
        path.write_text(report)

        with pytest.raises(CommandError, match=r"Give the report\.json that evaluate wrote"):
            call_command("promote", str(candidate.folder), f"--report={path}")


class TestRollback:
    def test_says_that_nothing_was_live_before(self) -> None:
        with pytest.raises(CommandError, match=r"The live release stays\. NothingBefore"):
            call_command("rollback")

    def test_says_that_no_kept_release_has_this_name(self) -> None:
        with pytest.raises(CommandError, match="NotKept: 0 kept releases begin with 'zzz'"):
            call_command("rollback", "--to=zzz")
