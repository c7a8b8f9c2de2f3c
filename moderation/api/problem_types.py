"""Every way to be refused at the platform API: stable code, status, and what to do about it (RFC 9457)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemType:
    """A kind of refusal. Its type URI is the path of its page: relative, so it is the same everywhere."""

    code: str
    status: int
    title: str
    cure: str

    @property
    def uri(self) -> str:
        """Return the type URI, which resolves to a page of this server."""
        return f"/problems/{self.code}"


_BY_STATUS: dict[int, dict[str, tuple[str, str]]] = {
    400: {
        "malformed_request": ("The request cannot be read", "Check the host name, the path and the headers."),
        "malformed_body": (
            "The body cannot be read",
            "Send one JSON value in UTF-8, in a bulk request one per line. The detail says what is wrong.",
        ),
    },
    401: {
        "not_authenticated": ("A key is missing", "Send your key in the header Authorization: Bearer <key>."),
        "invalid_key": (
            "The key is not known",
            "Check that the whole key was sent, and that it was issued by this installation.",
        ),
        "revoked_key": ("The key was revoked", "Use the key that took its place."),
        "expired_key": ("The key has expired", "Ask for a new key."),
    },
    403: {
        "tls_required": (
            "The request came over plain HTTP",
            "Call https. A key that was sent in the clear may be known to others: exchange it.",
        ),
        "missing_scope": ("The key may not do this", "Use a key with the scope that the detail names."),
        "nobody_behind_key": (
            "The key acts in nobody's name",
            "Claims, decisions, rules and exports need a key that acts in the name of a person (--acts-as).",
        ),
        "not_allowed": (
            "The person behind the key may not do this",
            "The detail says who may: a lead, for instance.",
        ),
    },
    404: {
        "not_found": (
            "Nothing is here",
            "Check the address and the id; a post of another platform is not found either.",
        ),
    },
    405: {
        "method_not_allowed": (
            "The method does not fit this address",
            "The header Allow lists the methods that do.",
        ),
    },
    406: {
        "not_acceptable": ("No such format", "Accept application/json: it is all there is."),
    },
    408: {
        "body_too_slow": (
            "The body did not come in time",
            "Send it again, faster or in smaller parts: 15 seconds, and one more for every 16 KiB.",
        ),
    },
    409: {
        "request_in_flight": (
            "The first request is still being answered",
            "Wait for the seconds in Retry-After and repeat the request with the same Idempotency-Key.",
        ),
        # Of cases, campaigns and decisions.
        "revision_conflict": (
            "This revision is stored with another content",
            "An edited post has a higher revision than before. The stored revision was not changed.",
        ),
        "already_claimed": (
            "Somebody else holds the case",
            "Take another case, or come back when the claim has run out.",
        ),
        "already_decided": (
            "The case was decided before",
            "The member decision of this problem is the one that won; reverse it if it is wrong.",
        ),
        "case_closed": ("The case no longer waits for a human", "Read the post to see what was decided."),
        "not_decided": (
            "It waits for its first decision",
            "Ask for a second look once a person has decided, and no case of the post is open.",
        ),
        "claim_lost": ("The claim has run out", "Claim the case again, look at it, then decide."),
        "post_changed": ("The post was edited meanwhile", "Read the case again: it has a higher version."),
        "already_reversed": (
            "The decision was taken back before",
            "Read the post to see which decision holds.",
        ),
        "same_verdict": ("The decision says this already", "Nothing needs to be done."),
        "still_running": (
            "An earlier decision is being carried out",
            "Large campaigns take some seconds; try again when their members are decided.",
        ),
        "nothing_to_decide": (
            "No post of the campaign waits for this",
            "Read its members: they were decided one by one, or together.",
        ),
        "shared_campaign": (
            "The campaign holds posts of other platforms",
            "Decide your cases one by one, or ask a lead of the desk to decide the campaign.",
        ),
        # Of rules.
        "rule_exists": (
            "A rule about this is in force",
            "Lift the old rule first, if its effect, end or reason should change.",
        ),
        "already_active": ("The rule was activated before", "Nothing needs to be done: it holds."),
        "second_person_needed": (
            "The ban matches many posts that people judged not spam",
            "Another lead has to activate it, on the desk or with a key that acts for them.",
        ),
        "rule_ended": ("The rule was lifted, or its end has passed", "Make a new one."),
        # Of endpoints and deliveries.
        "endpoint_exists": ("There is an endpoint with this address", "Change that one, or remove it first."),
        "too_many_endpoints": ("There are too many endpoints", "Remove one that is not used."),
        "no_replay": (
            "The delivery cannot be sent again",
            "Enable its endpoint first; a delivery that was cancelled stays so.",
        ),
        # Of labels and releases.
        "nothing_to_draw": (
            "No post is left to be drawn",
            "Ask for more days, or when more posts have come: nobody labels a post twice.",
        ),
        "too_many_drawn": ("Drawn posts wait already", "Have those labelled first, or cancel their draw."),
        "not_ready": ("The export is not built yet", "Ask for the export until its state is ready."),
        "training_open": (
            "Another training run is not over",
            "Wait for it, or have it cancelled: one is open at a time, of any platform.",
        ),
        "training_ended": (
            "The training run has ended",
            "There is nothing to cancel; start another one if you need it.",
        ),
        "nothing_to_learn": (
            "Nobody has labelled a post",
            "Have posts decided first, or ask for random posts to be labelled.",
        ),
        "no_candidate": (
            "The training run made no release",
            "Propose the candidate of a run whose state is ready.",
        ),
        "shared_thresholds": (
            "Other platforms share these thresholds",
            "Have somebody propose the change on the desk: it concerns their posts, too.",
        ),
        "already_live": ("This is live already", "There is nothing to propose."),
        "already_proposed": ("An open proposal names this release", "Confirm or refuse that one."),
        "own_proposal": (
            "Nobody confirms their own proposal",
            "Have it confirmed with a key that acts for somebody else, or on the desk.",
        ),
        "proposal_closed": (
            "The proposal is no longer open",
            "It was confirmed, refused or ran out; propose it again if it should still go live.",
        ),
        "going_live": (
            "The release is already going live",
            "Somebody has confirmed it: read the proposal again in a minute.",
        ),
        "live_has_changed": (
            "Another release went live since",
            (
                "Read which release is live. Propose it again: the figures of a proposal compare with the "
                "release that was live then. Roll back only if the live one should go, too."
            ),
        ),
        "nothing_before": (
            "No release was live before this one",
            "There is nothing to go back to; name a kept release in `to` if there is one.",
        ),
        "release_unusable": (
            "This release cannot score here",
            (
                "Its files, features or content model are not here any more; name another release, or have "
                "the operator look with `manage.py replay_scores --release`."
            ),
        ),
        "shadow_open": (
            "Another candidate runs in shadow",
            "Stop that run, or have it stopped: one is open at a time, of any platform.",
        ),
        "shadow_ended": ("The shadow run has ended", "There is nothing to stop."),
        "candidate_unusable": (
            "The candidate cannot score here",
            "Nothing was started; the page of shadow runs on the desk says what is wrong with the release.",
        ),
        "not_promoted": (
            "The live release stays",
            "The gate refuses the release, or it cannot be used here; the Models page of the desk says why.",
        ),
    },
    410: {
        "erased": ("It was erased", "Nothing of it is kept, and nothing about it is taken in any more."),
    },
    411: {
        "length_required": (
            "The length of the body is not known",
            "Send the header Content-Length instead of a chunked body.",
        ),
    },
    412: {
        "precondition_failed": (
            "It was changed since it was read",
            "Read it again, and send its new ETag in If-Match.",
        ),
        "count_moved": (
            "The campaign has another number of posts by now",
            "Look at the members that joined since, then send the count that the member found names.",
        ),
    },
    413: {
        "body_too_large": (
            "The body is too large",
            "Send less at once; the detail names the limit. Nothing was read or stored.",
        ),
    },
    415: {
        "unsupported_media_type": (
            "The body has the wrong type",
            "Send application/json, or application/x-ndjson to posts:bulk.",
        ),
        "unsupported_encoding": (
            "The body is packed",
            "Send it as it is, in UTF-8, without Content-Encoding.",
        ),
    },
    422: {
        "idempotency_key_reused": (
            "The Idempotency-Key belongs to another request",
            "Use a new key for every new request; a repetition has the very same path and body.",
        ),
        "invalid_fields": (
            "Fields were refused",
            "Each entry of errors names a field by JSON pointer (in a query: the parameter) and a reason.",
        ),
    },
    429: {
        "rate_limited": (
            "Too many requests",
            "Wait for the seconds in Retry-After. The operator can raise the limit of a key.",
        ),
    },
    500: {
        "internal_error": (
            "Something broke on our side",
            "Try again later; if it stays, tell us the request_id.",
        ),
    },
    503: {
        "unavailable": (
            "The server cannot answer now",
            "Try again after the seconds in Retry-After; repeating a post or complaint is safe.",
        ),
        "cannot_encrypt": (
            "Signing secrets cannot be kept",
            "The operator has to set SPAMDESK_ENCRYPTION_KEYS. Nothing was stored or sent unsigned.",
        ),
    },
}
"""By status and code: the title, and what to do about it."""

TYPES = tuple(
    ProblemType(code=code, status=status, title=title, cure=cure)
    for status, kinds in _BY_STATUS.items()
    for code, (title, cure) in kinds.items()
)
