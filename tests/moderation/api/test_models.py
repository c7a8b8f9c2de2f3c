"""Figures of releases, through the api."""

from __future__ import annotations

from datetime import datetime

import pytest
from rest_framework.test import APIClient

from moderation.models import Release
from tests.moderation.api.answers import bad_fields, problem

pytestmark = pytest.mark.django_db
MANIFEST = {
    "metrics": {
        "simulated": True,
        "test": {
            "complete": {
                "rows": 1_000,
                "spam": 200,
                "pr_auc": 0.9,
                "removed_share": 0.1,
                "precision_of_removed": 0.97,
            },
            "with random gaps": {"rows": 30, "spam": 5, "pr_auc": 0.9, "removed_share": 0.1},
        },
    },
    "heads": {"a-competitor": {}},
}


class TestMetrics:
    def test_are_those_of_the_manifest_and_none_where_there_are_few_posts(
        self, api: APIClient, at: datetime
    ) -> None:
        Release.objects.create(pk="a" * 64, manifest=MANIFEST, first_used_at=at)

        found = api.get(f"/api/v1/models/{'a' * 64}/metrics").json()

        whole = {"posts": 1_000, "spam": 200, "pr_auc": 0.9, "removed": 100, "precision": 0.97}
        few = {"posts": 30, "spam": 5, "pr_auc": None, "removed": 3, "precision": None}
        assert (found["release"], found["split"], found["is_simulated"]) == ("a" * 64, "test", True)
        assert found["data"] == [{"part": "complete"} | whole, {"part": "with random gaps"} | few]

    def test_refuse_what_is_not_there(self, api: APIClient, at: datetime) -> None:
        Release.objects.create(pk="a" * 64, manifest={}, first_used_at=at)

        problem(api.get("/api/v1/models/unknown/metrics"), status=404, code="not_found")
        wrong = api.get(f"/api/v1/models/{'a' * 64}/metrics", {"split": "train"})
        assert bad_fields(wrong) == {"/split": "invalid_choice"}
