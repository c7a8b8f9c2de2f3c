"""What takes words: fields that go with a post or an author, and those that stay, each with its reason."""

from __future__ import annotations

_POST = (
    "author/display_name",
    "author/email_domain",
    "author/external_id",
    "ip",
    "journey/*/name",
    "links/*",
    "media_urls/*",
    "parent/author/display_name",
    "parent/author/external_id",
    "parent/external_id",
    "parent/text",
    "pictures/*",
    "text",
    "transcripts/*/captions",
    "transcripts/*/source",
    "user_agent",
)


_POSTING = ("send_post", "send_posts", "score_post")


WIPED = {f"{operation}/{field}" for operation in _POSTING for field in _POST} | {
    "file_appeal/external_id",
    "file_appeal/reason",
    "decide_campaign/note",
    "decide_case/note",
    "escalate_case/note",
    "note_case/note",
    "ask_second_person/note",
    "send_complaint/external_id",
    "send_complaint/note",
    "send_complaint/reporter/external_id",
    "reverse_decision/reason",
    "add_rule/value",
    "add_rule/reason",
    "DecideForm.note",
    "BulkForm.note",
    "NoteForm.note",
    "EscalateForm.note",
    "CorrectForm.reason",
    "SettleForm.note",
    "GoldenForm.note",
    "CampaignDecideForm.note",
    "CampaignCorrectForm.reason",
    "RuleForm.reason",
    "KeepFilterForm.name",
    "KeepFilterForm.query",
    "Idempotency-Key",
}


"""Written about a post or an author: gone with them. (A rule's words where it is about an author.)"""


_ID_OF_POST = "the platform's id of a post: by it the post is refused when it is sent again"


_NOT_KEPT = "only read: nothing of it is stored"
_CODE = "a code of the policy, no words: it stands in the audit log, too"


_NOT_STORED = "a question, which nobody stores"


_OURS = "an id of ours"


_DESK = "about the installation and who works there, not about authors"


STAYS = {
    **{f"{operation}/external_id": _ID_OF_POST for operation in _POSTING},
    **{f"{operation}/language": "a language code" for operation in _POSTING},
    **{f"{operation}/transcripts/*/language": "a language code" for operation in _POSTING},
    **{f"{operation}/platform": "must be the platform's own name" for operation in _POSTING},
    "send_complaint/post": _ID_OF_POST,
    "file_appeal/decision": _OURS,
    "request_export/after": _OURS,
    "decide_campaign/exclude/*": _OURS,
    "decide_campaign/sample_seen/*": _OURS,
    "decide_campaign/reason": _CODE,
    "decide_case/reason": _CODE,
    "CampaignDecideForm.reason": _CODE,
    **{f"PreviewForm.{name}": _NOT_KEPT for name in ("text", "link", "author")},
    **{f"score_topics/{name}/*": _NOT_KEPT for name in ("texts", "topics")},
    **{f"PolicyForm.{name}": _DESK for name in ("name", "words", "reason")},
    "PolicyForm.counts": _CODE,
    "CorrectForm.code": _CODE,
    "SettleForm.code": _CODE,
    "DecideForm.reason": _CODE,
    "BulkForm.reason": _CODE,
    "HeldForm.held": _OURS,
    "HeldForm.leaving": _OURS,
    "TargetForm.value": "no author's: a domain, an address, our id; words until 30 days after the rule's end",
    "SignInForm.password": _NOT_STORED,
    "propose_release/reason": _DESK,
    "propose_release/training_run": _OURS,
    "start_shadow_run/training_run": _OURS,
    "roll_back/live": _OURS,
    "roll_back/to": _OURS,
    "replay_scores/decision_id": _OURS,
    "replay_scores/release": _OURS,
    "add_endpoint/url": _DESK,
    "change_endpoint/url": _DESK,
    "EndpointForm.url": _DESK,
    "KeyForm.name": _DESK,
    "PlatformForm.name": _DESK,
    "QueueForm.name": _DESK,
    "NewPlatformForm.name": _DESK,
    "UserForm.first_name": _DESK,
    "UserForm.last_name": _DESK,
    "NewUserForm.first_name": _DESK,
    "NewUserForm.last_name": _DESK,
    "NewUserForm.username": _DESK,
    "ReasonForm.signals": _DESK,
    "CandidateForm.reason": _DESK,
    "ProposalForm.reason": _DESK,
    "QualityForm.language": _NOT_STORED,
    "QualityForm.release": _NOT_STORED,
    "ReasonForm.title": _DESK,
    "ReasonForm.title_de": _DESK,
    "ReasonForm.guideline": _DESK,
    "ReasonForm.guideline_de": _DESK,
    "NewReasonForm.signals": _DESK,
    "NewReasonForm.title": _DESK,
    "NewReasonForm.title_de": _DESK,
    "NewReasonForm.guideline": _DESK,
    "NewReasonForm.guideline_de": _DESK,
}
