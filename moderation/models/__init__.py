"""Rows: shape and database constraints, one file per noun. No business rule lives here."""

from moderation.models.answers import StoredAnswer
from moderation.models.appeals import Appeal
from moderation.models.audit import AuditEntry, AuditLink
from moderation.models.campaigns import Campaign, CampaignDecision, CampaignMember, CampaignTrait
from moderation.models.cases import Case, Decision, Label, Reversal
from moderation.models.deliveries import Delivery, DeliveryAttempt
from moderation.models.domains import Domain, PostLink
from moderation.models.draws import LabelDraw
from moderation.models.erasures import Erasure
from moderation.models.exports import Export
from moderation.models.feed import FeedEntry, FeedHead
from moderation.models.filters import SavedFilter
from moderation.models.notes import CaseNote
from moderation.models.people import User
from moderation.models.platforms import ApiKey, Platform
from moderation.models.policies import Reason
from moderation.models.posts import Author, Complaint, Post, Revision, SimilarityBand
from moderation.models.presence import Presence, ReviewPage
from moderation.models.reconsiderations import Reconsideration
from moderation.models.releases import Promotion, Release
from moderation.models.reputation import AuthorBand, LinkVerdict
from moderation.models.rules import Rule
from moderation.models.scores import Score
from moderation.models.sweeps import SweepRun
from moderation.models.webhooks import EndpointCircuit, SigningSecret, WebhookEndpoint

__all__ = [
    "ApiKey",
    "Appeal",
    "AuditEntry",
    "AuditLink",
    "Author",
    "AuthorBand",
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
    "EndpointCircuit",
    "Erasure",
    "Export",
    "FeedEntry",
    "FeedHead",
    "Label",
    "LabelDraw",
    "LinkVerdict",
    "Platform",
    "Post",
    "PostLink",
    "Presence",
    "Promotion",
    "Reason",
    "Reconsideration",
    "Release",
    "Reversal",
    "ReviewPage",
    "Revision",
    "Rule",
    "SavedFilter",
    "Score",
    "SigningSecret",
    "SimilarityBand",
    "StoredAnswer",
    "SweepRun",
    "User",
    "WebhookEndpoint",
]
