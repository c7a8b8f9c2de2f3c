"""What takes words: fields that go with a post or an author, and those that stay, each with its reason."""

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

_ACCOUNT = (
    "bio",
    "display_name",
    "email_domain",
    "external_id",
    "fields/*/name",
    "fields/*/value",
    "links/*",
    "picture",
)

_POSTING = ("send_post", "send_posts", "score_post")
_NOTED = (
    "ask_second_person",
    "decide_campaign",
    "decide_case",
    "escalate_case",
    "note_case",
    "send_complaint",
)
_NOTES = (
    "BulkForm",
    "CampaignDecideForm",
    "DecideForm",
    "EscalateForm",
    "GoldenForm",
    "NoteForm",
    "SettleForm",
)
_REASONS = ("CampaignCorrectForm", "CorrectForm", "RuleForm")
WIPED = {
    *(f"{operation}/{field}" for operation in _POSTING for field in _POST),
    *(f"{operation}/note" for operation in _NOTED),
    *(f"{operation}/reason" for operation in ("add_rule", "file_appeal", "reverse_decision")),
    *(f"{operation}/external_id" for operation in ("file_appeal", "send_complaint")),
    *(f"{form}.note" for form in _NOTES),
    *(f"{form}.reason" for form in _REASONS),
    *(f"send_complaint/account/{field}" for field in _ACCOUNT),
    "send_complaint/reporter/external_id",
    "add_rule/value",
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
_OF_REASONS = ("guideline", "guideline_de", "signals", "title", "title_de")
_DESK = "about the installation and who works there, not about authors"
STAYS = {
    **{f"{operation}/external_id": _ID_OF_POST for operation in _POSTING},
    **{f"{operation}/language": "a language code" for operation in _POSTING},
    **{f"{operation}/transcripts/*/language": "a language code" for operation in _POSTING},
    **{f"{operation}/platform": "must be the platform's own name" for operation in _POSTING},
    "send_complaint/post": _ID_OF_POST,
    "file_appeal/decision": _OURS,
    "request_export/after": _OURS,
    **{f"decide_campaign/{name}/*": _OURS for name in ("exclude", "sample_seen")},
    **{f"HeldForm.{name}": _OURS for name in ("held", "leaving")},
    **{f"{operation}/training_run": _OURS for operation in ("propose_release", "start_shadow_run")},
    **{f"roll_back/{name}": _OURS for name in ("live", "to")},
    **{f"replay_scores/{name}": _OURS for name in ("decision_id", "release")},
    **{f"{operation}/reason": _CODE for operation in ("decide_campaign", "decide_case")},
    **{f"{form}.reason": _CODE for form in ("BulkForm", "CampaignDecideForm", "DecideForm", "VerdictForm")},
    "VerdictForm.note": "that form is the base of others",
    **{f"{form}.code": _CODE for form in ("CorrectForm", "SettleForm")},
    "PolicyForm.counts": _CODE,
    **{f"PreviewForm.{name}": _NOT_KEPT for name in ("text", "author")},
    **{f"score_topics/{name}/*": _NOT_KEPT for name in ("texts", "topics")},
    "TargetForm.value": "no author's: a domain, an address, our id; words until 30 days after the rule's end",
    "CodeForm.code": _NOT_STORED,
    "SignInForm.password": _NOT_STORED,
    **{f"QualityForm.{name}": _NOT_STORED for name in ("language", "release")},
    "propose_release/reason": _DESK,
    "add_rule/pictures/*": "hashes of a list, gone 30 days after its end",
    **{f"{place}url": _DESK for place in ("add_endpoint/", "change_endpoint/", "EndpointForm.")},
    **{
        f"DeskSettingsForm.{name}": _DESK for name in ("evidence_agent", "translation_key", "translation_url")
    },
    "AliasForm.site": _DESK,
    "NotificationsForm.chat": _DESK,
    **{f"PolicyForm.{name}": _DESK for name in ("name", "words", "reason")},
    **{f"PictureListForm.{name}": _DESK for name in ("name", "reason")},
    **{f"{form}.name": _DESK for form in ("KeyForm", "NewPlatformForm", "PlatformForm", "QueueForm")},
    **{
        f"{form}.{name}": _DESK
        for form in ("InvitedForm", "NewUserForm", "UserForm")
        for name in ("first_name", "last_name")
    },
    "NewUserForm.username": _DESK,
    "InvitedForm.username": _DESK,
    "SignInForm.username": _NOT_STORED,
    **{
        f"{form}.new_password{number}": _NOT_STORED
        for form in ("InvitedForm", "PasswordForm")
        for number in (1, 2)
    },
    "PasswordForm.old_password": _NOT_STORED,
    **{f"{form}.reason": _DESK for form in ("CandidateForm", "ProposalForm")},
    **{f"{form}.{name}": _DESK for form in ("NewReasonForm", "ReasonForm") for name in _OF_REASONS},
}
