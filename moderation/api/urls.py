"""URL routes of the platform API. Everything else below /api/ is answered with a problem, not with a page."""

from django.urls import path, re_path

from moderation.api.akismet import views as akismet
from moderation.api.views import pages
from moderation.api.views.activity import QueueFigures, ReviewerFigures
from moderation.api.views.appeals import Appeals, OneAppeal
from moderation.api.views.audit import AuditHead, AuditLog
from moderation.api.views.base import NothingHere
from moderation.api.views.bulk_posts import BulkPosts
from moderation.api.views.campaigns import CampaignDecisions, CampaignMembers, Campaigns
from moderation.api.views.cases import (
    CaseDecisions,
    CaseEscalations,
    CaseNotes,
    Cases,
    Claims,
    OneCase,
    OneClaim,
    SecondReviews,
)
from moderation.api.views.decisions import Decisions, Reversals, Statements
from moderation.api.views.entities import AuthorTimeline, OneDomain
from moderation.api.views.labels import (
    ExportFile,
    Exports,
    LabelChanges,
    LabelDraws,
    Labels,
    OneExport,
    OneLabelDraw,
)
from moderation.api.views.models import (
    ModelMetrics,
    Models,
    OneModel,
    OneTrainingRun,
    Replays,
    Rollbacks,
    TrainingRuns,
)
from moderation.api.views.posts import AuthorDeletions, Complaints, OneAuthor, OnePost, Posts
from moderation.api.views.quality import DriftAlarms, QualityFigures
from moderation.api.views.release_proposals import (
    OneReleaseProposal,
    ProposalConfirmations,
    ProposalRefusals,
    ReleaseProposals,
    ThresholdSimulations,
)
from moderation.api.views.rules import OneRule, RuleActivations, RuleBacktests, Rules
from moderation.api.views.scores import Scores
from moderation.api.views.shadow_runs import Disagreements, OneShadowRun, ShadowFigures, ShadowRuns
from moderation.api.views.topics import TopicScores
from moderation.api.views.webhooks import (
    DeliveryReplays,
    EndpointDeliveries,
    Endpoints,
    EndpointSecrets,
    OneDelivery,
    OneEndpoint,
)

app_name = "api"

urlpatterns = [
    path("api/v1/posts", Posts.as_view(), name="posts"),
    path("api/v1/posts:bulk", BulkPosts.as_view(), name="bulk"),
    path("api/v1/posts/<str:id>", OnePost.as_view(), name="post"),
    path("api/v1/authors/<str:external_id>", OneAuthor.as_view(), name="author"),
    path("api/v1/authors/<str:external_id>/deletion", AuthorDeletions.as_view(), name="author-deletion"),
    path("api/v1/authors/<str:external_id>/timeline", AuthorTimeline.as_view(), name="author-timeline"),
    path("api/v1/domains/<str:domain>", OneDomain.as_view(), name="domain"),
    path("api/v1/complaints", Complaints.as_view(), name="complaints"),
    path("api/v1/appeals", Appeals.as_view(), name="appeals"),
    path("api/v1/appeals/<str:id>", OneAppeal.as_view(), name="appeal"),
    path("api/v1/scores", Scores.as_view(), name="scores"),
    path("api/v1/topics:score", TopicScores.as_view(), name="topic-scores"),
    path("api/v1/decisions", Decisions.as_view(), name="decisions"),
    path("api/v1/decisions/<str:id>/statement-of-reasons", Statements.as_view(), name="statement"),
    path("api/v1/decisions/<str:id>/reversal", Reversals.as_view(), name="reversal"),
    path("api/v1/cases", Cases.as_view(), name="cases"),
    path("api/v1/cases/<str:id>", OneCase.as_view(), name="case"),
    path("api/v1/cases/<str:id>/decisions", CaseDecisions.as_view(), name="case-decisions"),
    path("api/v1/cases/<str:id>/escalations", CaseEscalations.as_view(), name="case-escalations"),
    path("api/v1/cases/<str:id>/notes", CaseNotes.as_view(), name="case-notes"),
    path("api/v1/cases/<str:id>/second-reviews", SecondReviews.as_view(), name="second-reviews"),
    path("api/v1/queues/<str:queue>/claims", Claims.as_view(), name="claims"),
    path("api/v1/claims/<str:id>", OneClaim.as_view(), name="claim"),
    path("api/v1/campaigns", Campaigns.as_view(), name="campaigns"),
    path("api/v1/campaigns/<str:id>/members", CampaignMembers.as_view(), name="campaign-members"),
    path("api/v1/campaigns/<str:id>/decisions", CampaignDecisions.as_view(), name="campaign-decisions"),
    path("api/v1/rules", Rules.as_view(), name="rules"),
    path("api/v1/rules/<str:id>", OneRule.as_view(), name="rule"),
    path("api/v1/rules/<str:id>/activation", RuleActivations.as_view(), name="activation"),
    path("api/v1/rules/<str:id>/backtest", RuleBacktests.as_view(), name="backtest"),
    path("api/v1/metrics/drift", DriftAlarms.as_view(), name="drift"),
    path("api/v1/metrics/quality", QualityFigures.as_view(), name="quality"),
    path("api/v1/metrics/queue", QueueFigures.as_view(), name="queue-figures"),
    path("api/v1/metrics/reviewers", ReviewerFigures.as_view(), name="reviewer-figures"),
    path("api/v1/audit", AuditLog.as_view(), name="audit"),
    path("api/v1/audit/head", AuditHead.as_view(), name="audit-head"),
    path("api/v1/labels", Labels.as_view(), name="labels"),
    path("api/v1/labels/changes", LabelChanges.as_view(), name="label-changes"),
    path("api/v1/label-draws", LabelDraws.as_view(), name="label-draws"),
    path("api/v1/label-draws/<str:id>", OneLabelDraw.as_view(), name="label-draw"),
    path("api/v1/exports", Exports.as_view(), name="exports"),
    path("api/v1/exports/<str:id>", OneExport.as_view(), name="export"),
    path("api/v1/exports/<str:id>/file", ExportFile.as_view(), name="export-file"),
    path("api/v1/models", Models.as_view(), name="models"),
    path("api/v1/models/training-runs", TrainingRuns.as_view(), name="training-runs"),
    path("api/v1/models/training-runs/<str:id>", OneTrainingRun.as_view(), name="training-run"),
    path("api/v1/models/<str:id>", OneModel.as_view(), name="model"),
    path("api/v1/models/<str:id>/metrics", ModelMetrics.as_view(), name="model-metrics"),
    path("api/v1/rollbacks", Rollbacks.as_view(), name="rollbacks"),
    path("api/v1/replays", Replays.as_view(), name="replays"),
    path("api/v1/simulations/threshold", ThresholdSimulations.as_view(), name="threshold-simulations"),
    path("api/v1/release-proposals", ReleaseProposals.as_view(), name="release-proposals"),
    path("api/v1/release-proposals/<str:id>", OneReleaseProposal.as_view(), name="release-proposal"),
    path(
        "api/v1/release-proposals/<str:id>/confirmation",
        ProposalConfirmations.as_view(),
        name="proposal-confirmation",
    ),
    path("api/v1/release-proposals/<str:id>/refusal", ProposalRefusals.as_view(), name="proposal-refusal"),
    path("api/v1/shadow-runs", ShadowRuns.as_view(), name="shadow-runs"),
    path("api/v1/shadow-runs/<str:id>", OneShadowRun.as_view(), name="shadow-run"),
    path("api/v1/shadow-runs/<str:id>/disagreements", Disagreements.as_view(), name="disagreements"),
    path("api/v1/shadow-runs/<str:id>/figures", ShadowFigures.as_view(), name="shadow-figures"),
    path("api/v1/webhook-endpoints", Endpoints.as_view(), name="endpoints"),
    path("api/v1/webhook-endpoints/<str:id>", OneEndpoint.as_view(), name="endpoint"),
    path("api/v1/webhook-endpoints/<str:id>/secrets", EndpointSecrets.as_view(), name="secrets"),
    path("api/v1/webhook-endpoints/<str:id>/deliveries", EndpointDeliveries.as_view(), name="deliveries"),
    path("api/v1/deliveries/<str:id>", OneDelivery.as_view(), name="delivery"),
    path("api/v1/deliveries/<str:id>/replay", DeliveryReplays.as_view(), name="replay"),
    path("api/v1/openapi.json", pages.openapi, name="openapi"),
    path("api/v1/docs", pages.documentation, name="documentation"),
    path("1.1/verify-key", akismet.verify_key),
    path("1.1/comment-check", akismet.comment_check),
    path("1.1/submit-spam", akismet.submit_spam),
    path("1.1/submit-ham", akismet.submit_ham),
    # Akismet moved this one to 1.2, where newer clients ask for it.
    re_path(r"^1\.[12]/usage-limit$", akismet.usage_limit),
    re_path(r"^api(/|$)", NothingHere.as_view(), name="nothing"),
    path("problems/", pages.problem_list, name="problems"),
    path("problems/<str:code>", pages.problem, name="problem"),
]
