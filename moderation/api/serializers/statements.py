"""Statements of reasons (Article 17 of the Digital Services Act) in the names of the Commission's database.

The names are those of the database's API since July 2025:
https://transparency.dsa.ec.europa.eu/page/api-documentation. Where the platform acts and where the post lies
(`territorial_scope`, `url`) only the platform knows.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from moderation.models import Decision
from moderation.models.decisions import DecisionSource
from moderation.queries.decisions.platform_decisions import Grounds

SCAMS, OTHER = "STATEMENT_CATEGORY_SCAMS_AND_FRAUD", "STATEMENT_CATEGORY_OTHER_VIOLATION_TC"
_FRAUDULENT = frozenset({"scam", "phishing", "fraud", "impersonation"})
"""Reasons of the policy, and of complaints, that are more than unwanted advertising."""


class StatementSerializer(serializers.Serializer[Any]):
    """The statement for the author and for the Commission's database."""

    puid = serializers.CharField(help_text="Our id of the decision.")
    decision_visibility = serializers.ListField(child=serializers.CharField())
    decision_ground = serializers.CharField()
    incompatible_content_ground = serializers.CharField()
    incompatible_content_explanation = serializers.CharField()
    incompatible_content_illegal = serializers.CharField()
    category = serializers.ChoiceField(choices=(SCAMS, OTHER))
    content_type = serializers.ListField(child=serializers.CharField())
    content_date = serializers.DateField()
    application_date = serializers.DateField()
    decision_facts = serializers.CharField()
    source_type = serializers.CharField()
    automated_detection = serializers.CharField()
    automated_decision = serializers.CharField()


def statement(row: Decision, *, grounds: Grounds) -> dict[str, Any]:
    """Return the statement of a decision that took a post down."""
    is_automatic = row.source == DecisionSource.AUTOMATIC
    # Cases come from the filter, unless people complained of what it had let through or could not read.
    is_reported = grounds.complaints > 0
    return {
        "puid": str(row.pk),
        "decision_visibility": ["DECISION_VISIBILITY_CONTENT_REMOVED"],
        "decision_ground": "DECISION_GROUND_INCOMPATIBLE_CONTENT",
        "incompatible_content_ground": "The rules against spam",
        "incompatible_content_explanation": grounds.reason or "The post is spam.",
        "incompatible_content_illegal": "No",
        "category": SCAMS if row.reason in _FRAUDULENT else OTHER,
        "content_type": ["CONTENT_TYPE_TEXT", *(["CONTENT_TYPE_IMAGE"] if grounds.has_media else [])],
        "content_date": row.post.posted_at.date().isoformat(),
        "application_date": row.effective_at.date().isoformat(),
        "decision_facts": _facts(row, grounds, is_automatic=is_automatic),
        "source_type": "SOURCE_TYPE_OTHER_NOTIFICATION" if is_reported else "SOURCE_VOLUNTARY",
        "automated_detection": "No" if is_reported and not is_automatic else "Yes",
        "automated_decision": "AUTOMATED_DECISION_FULLY"
        if is_automatic
        else "AUTOMATED_DECISION_NOT_AUTOMATED",
    }


def _facts(row: Decision, grounds: Grounds, *, is_automatic: bool) -> str:
    if is_automatic:
        probability = f"{row.score.spam_probability:.2f}"
        by = f"An automatic filter judged the post as spam, with a probability of {probability}."
    else:
        by = "A person looked at the post and judged it as spam."
    told = {0: "", 1: " One user had reported it."}
    return by + told.get(grounds.complaints, f" {grounds.complaints} users had reported it.")
