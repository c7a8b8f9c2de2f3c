"""The manifests fit the schemas of Kubernetes, and the autoscaler's query the product's tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.db import connection
from django.utils import timezone

from deploy.local.places import ROOT
from moderation.models import Post, Revision
from moderation.models.posts import ScoreState
from moderation.queries.health import lateness

FOLDER = ROOT / "deploy" / "kubernetes"
NOT_OF_KUBERNETES = ("keda.sh/", "kustomize.config.k8s.io/")
DOCUMENTS: list[dict[str, Any]] = [
    document for path in sorted(FOLDER.glob("*.yaml")) for document in yaml.safe_load_all(path.read_text())
]
[SCALER] = [document for document in DOCUMENTS if document["kind"] == "ScaledObject"]
[TRIGGER] = SCALER["spec"]["triggers"]
OLDEST_AND_NEWEST = ("1.29", "1.37")


class TestSchemas:
    @pytest.mark.parametrize("version", OLDEST_AND_NEWEST)
    @pytest.mark.parametrize(
        "document",
        [one for one in DOCUMENTS if not one["apiVersion"].startswith(NOT_OF_KUBERNETES)],
        ids=lambda one: f"{one['kind']}-{one.get('metadata', {}).get('name')}",
    )
    def test_each_manifest_fits_the_api(self, document: dict[str, Any], version: str) -> None:
        kubernetes_validate.validate(document, version, strict=True)

    def test_a_field_that_does_not_exist_is_found(self) -> None:
        [web] = [one for one in DOCUMENTS if one["kind"] == "Service" and one["metadata"]["name"] == "web"]

        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(
                web | {"spec": web["spec"] | {"port": 80}}, OLDEST_AND_NEWEST[0], strict=True
            )


class TestAutoscaler:
    """KEDA's scaler of PostgreSQL: https://keda.sh/docs/latest/scalers/postgresql/."""

    def test_scales_a_deployment_that_says_no_number_of_its_own(self) -> None:
        name = SCALER["spec"]["scaleTargetRef"]["name"]
        [target] = [
            one for one in DOCUMENTS if one["kind"] == "Deployment" and one["metadata"]["name"] == name
        ]

        assert name == "scoring"
        assert "replicas" not in target["spec"]  # `kubectl apply` would set it back

    def test_connects_by_a_variable_of_the_containers_that_it_scales(self) -> None:
        settings = (FOLDER / "settings.yaml").read_text()

        assert TRIGGER["type"] == "postgresql"
        assert TRIGGER["metadata"]["connectionFromEnv"] == "DATABASE_URL"
        assert "DATABASE_URL" in settings  # of the Secret, which every container of the application has

    def test_asks_for_how_long_the_oldest_post_has_waited(
        self, post: Callable[..., Post], later: Callable[[float], datetime], at: datetime
    ) -> None:
        for seconds in (0, 30, 60):
            post(at=later(seconds))
        waiting = Revision.objects.order_by("enqueued_at")
        waiting.filter(pk=waiting[0].pk).update(score_state=ScoreState.SCORED)
        waiting.filter(pk=waiting[1].pk).update(score_state=ScoreState.SCORING)

        asked = _ask()

        oldest = lateness.oldest_unscored_at()
        assert oldest == later(30)
        assert asked == pytest.approx((timezone.now() - oldest).total_seconds(), abs=5)

    @pytest.mark.django_db
    def test_asks_for_zero_where_nothing_waits(self) -> None:
        assert _ask() == 0.0

    @pytest.mark.django_db
    def test_reads_one_row_of_an_index(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {TRIGGER['metadata']['query']}")
            plan = "\n".join(line for [line] in cursor.fetchall())

        assert "revision_unscored" in plan
        assert "Sort" not in plan


def _ask() -> float:
    with connection.cursor() as cursor:
        cursor.execute(TRIGGER["metadata"]["query"])
        [[seconds]] = cursor.fetchall()
    assert isinstance(seconds, float)  # what KEDA reads it into
    return seconds
