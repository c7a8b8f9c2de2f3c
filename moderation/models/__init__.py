"""Tables and database constraints, one file per noun, all imported from here. No business rules."""

from moderation.models.actions import ActionRule, DecisionAction
from moderation.models.activity import HourlyCount
from moderation.models.audit import AuditEntry, AuditLink
from moderation.models.blind_reviews import BlindReview, BlindReviewPlan, GoldenItem
from moderation.models.campaigns import (
    Campaign,
    CampaignDecision,
    CampaignMember,
    CampaignTrait,
    Reconsideration,
)
from moderation.models.cases import Case, Presence, ReviewPage
from moderation.models.decisions import Appeal, Decision, Label, Reversal
from moderation.models.deliveries import Delivery, DeliveryAttempt
from moderation.models.desk_settings import DeskSettings
from moderation.models.domains import Domain, PostLink
from moderation.models.erasures import AuthorDeletion, Erasure
from moderation.models.evidence import Evidence, EvidenceRequest, RevisionEvidence, SentPicture, UnkeptFile
from moderation.models.exports import Export
from moderation.models.feed import FeedEntry, FeedHead
from moderation.models.idempotency import StoredAnswer
from moderation.models.label_draws import LabelDraw
from moderation.models.learning import ReleaseProposal
from moderation.models.named_queues import NamedQueue, QueueAssignment, QueueMix
from moderation.models.notes import AuthorNote, CaseNote, Mention
from moderation.models.notifications import Notification, NotificationChoices
from moderation.models.picture_lists import ListedPicture, PictureMatch
from moderation.models.platforms import AkismetAlias, ApiKey, Platform, PlatformDeletion
from moderation.models.policies import Policy, PolicyMatch
from moderation.models.posts import Author, Complaint, Post, Revision, Translation
from moderation.models.preferences import SavedFilter
from moderation.models.quality import DriftAlarm, DriftBlock, DriftWatch, QualityFigure, QualityTable
from moderation.models.reasons import Reason
from moderation.models.releases import Promotion, Release
from moderation.models.reputation import LinkVerdict
from moderation.models.rules import Rule
from moderation.models.scores import Score, ScoringJob
from moderation.models.shadow import ShadowRun, ShadowScore
from moderation.models.similarity import (
    AuthorBand,
    KeptTraits,
    PictureBand,
    PictureGroup,
    RevisionGroup,
    RevisionPicture,
    SimilarityBand,
)
from moderation.models.sweeps import Heartbeat, SweepRun
from moderation.models.training_runs import TrainingRun
from moderation.models.users import User, UserSession
from moderation.models.webhooks import EndpointCircuit, SigningSecret, WebhookEndpoint
