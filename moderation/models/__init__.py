"""Tables and database constraints, one file per noun. No business rules."""

from moderation.models.activity import HourlyCount
from moderation.models.appeals import Appeal
from moderation.models.audit import AuditEntry, AuditLink
from moderation.models.author_notes import AuthorNote
from moderation.models.blind_reviews import BlindReview, BlindReviewPlan
from moderation.models.campaigns import Campaign, CampaignDecision, CampaignMember, CampaignTrait
from moderation.models.case_notes import CaseNote
from moderation.models.cases import Case
from moderation.models.decisions import Decision, Reversal
from moderation.models.deliveries import Delivery, DeliveryAttempt
from moderation.models.domains import Domain, PostLink
from moderation.models.drift import DriftAlarm, DriftBlock, DriftWatch
from moderation.models.erasures import AuthorDeletion, Erasure
from moderation.models.evidence import Evidence, EvidenceRequest, RevisionEvidence, SentPicture, UnkeptFile
from moderation.models.exports import Export
from moderation.models.feed import FeedEntry, FeedHead
from moderation.models.golden_items import GoldenItem
from moderation.models.idempotency import StoredAnswer
from moderation.models.label_draws import LabelDraw
from moderation.models.labels import Label
from moderation.models.learning import ReleaseProposal
from moderation.models.mentions import Mention
from moderation.models.named_queues import NamedQueue, QueueAssignment
from moderation.models.platforms import ApiKey, Platform
from moderation.models.policies import Policy, PolicyMatch
from moderation.models.posts import Author, Complaint, Post, Revision
from moderation.models.presence import Presence, ReviewPage
from moderation.models.quality import QualityFigure, QualityTable
from moderation.models.queue_mix import QueueMix
from moderation.models.reasons import Reason
from moderation.models.reconsiderations import Reconsideration
from moderation.models.releases import Promotion, Release
from moderation.models.reputation import LinkVerdict
from moderation.models.rules import Rule
from moderation.models.saved_filters import SavedFilter
from moderation.models.scores import Score
from moderation.models.shadow import ShadowRun, ShadowScore
from moderation.models.similarity import (
    AuthorBand,
    KeptTraits,
    PictureBand,
    PictureGroup,
    RevisionPicture,
    SimilarityBand,
)
from moderation.models.sweeps import Heartbeat, SweepRun
from moderation.models.training_runs import TrainingRun
from moderation.models.translations import Translation
from moderation.models.user_sessions import UserSession
from moderation.models.users import User
from moderation.models.webhooks import EndpointCircuit, SigningSecret, WebhookEndpoint

__all__ = [
    "ApiKey",
    "Appeal",
    "AuditEntry",
    "AuditLink",
    "Author",
    "AuthorBand",
    "AuthorDeletion",
    "AuthorNote",
    "BlindReview",
    "BlindReviewPlan",
    "Campaign",
    "CampaignDecision",
    "CampaignMember",
    "CampaignTrait",
    "Case",
    "CaseNote",
    "Complaint",
    "Decision",
    "Delivery",
    "DeliveryAttempt",
    "Domain",
    "DriftAlarm",
    "DriftBlock",
    "DriftWatch",
    "EndpointCircuit",
    "Erasure",
    "Evidence",
    "EvidenceRequest",
    "Export",
    "FeedEntry",
    "FeedHead",
    "GoldenItem",
    "Heartbeat",
    "HourlyCount",
    "KeptTraits",
    "Label",
    "LabelDraw",
    "LinkVerdict",
    "Mention",
    "NamedQueue",
    "PictureBand",
    "PictureGroup",
    "Platform",
    "Policy",
    "PolicyMatch",
    "Post",
    "PostLink",
    "Presence",
    "Promotion",
    "QualityFigure",
    "QualityTable",
    "QueueAssignment",
    "QueueMix",
    "Reason",
    "Reconsideration",
    "Release",
    "ReleaseProposal",
    "Reversal",
    "ReviewPage",
    "Revision",
    "RevisionEvidence",
    "RevisionPicture",
    "Rule",
    "SavedFilter",
    "Score",
    "SentPicture",
    "ShadowRun",
    "ShadowScore",
    "SigningSecret",
    "SimilarityBand",
    "StoredAnswer",
    "SweepRun",
    "TrainingRun",
    "Translation",
    "UnkeptFile",
    "User",
    "UserSession",
    "WebhookEndpoint",
]
