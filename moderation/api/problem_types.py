"""Every way to be refused at the platform API: stable code, status, and what to do about it (RFC 9457)."""

from __future__ import annotations

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


TYPES = (
    ProblemType(
        code="malformed_request",
        status=400,
        title="The request cannot be read",
        cure="Check the host name, the path and the headers.",
    ),
    ProblemType(
        code="malformed_body",
        status=400,
        title="The body cannot be read",
        cure="Send one JSON value in UTF-8, in a bulk request one per line. The detail says what is wrong.",
    ),
    ProblemType(
        code="not_authenticated",
        status=401,
        title="A key is missing",
        cure="Send your key in the header Authorization: Bearer <key>.",
    ),
    ProblemType(
        code="invalid_key",
        status=401,
        title="The key is not known",
        cure="Check that the whole key was sent, and that it was issued by this installation.",
    ),
    ProblemType(
        code="revoked_key", status=401, title="The key was revoked", cure="Use the key that took its place."
    ),
    ProblemType(code="expired_key", status=401, title="The key has expired", cure="Ask for a new key."),
    ProblemType(
        code="missing_scope",
        status=403,
        title="The key may not do this",
        cure="Use a key with the scope that the detail names.",
    ),
    ProblemType(
        code="tls_required",
        status=403,
        title="The request came over plain HTTP",
        cure="Call https. A key that was sent in the clear may be known to others: exchange it.",
    ),
    ProblemType(
        code="nobody_behind_key",
        status=403,
        title="The key acts in nobody's name",
        cure="Claims, decisions, rules and exports need a key that acts in the name of a person (--acts-as).",
    ),
    ProblemType(
        code="not_allowed",
        status=403,
        title="The person behind the key may not do this",
        cure="The detail says who may: a lead, for instance.",
    ),
    ProblemType(
        code="not_found",
        status=404,
        title="Nothing is here",
        cure="Check the address and the id; a post of another platform is not found either.",
    ),
    ProblemType(
        code="method_not_allowed",
        status=405,
        title="The method does not fit this address",
        cure="The header Allow lists the methods that do.",
    ),
    ProblemType(
        code="not_acceptable",
        status=406,
        title="No such format",
        cure="Accept application/json: it is all there is.",
    ),
    ProblemType(
        code="revision_conflict",
        status=409,
        title="This revision is stored with another content",
        cure="An edited post has a higher revision than before. The stored revision was not changed.",
    ),
    ProblemType(
        code="request_in_flight",
        status=409,
        title="The first request is still being answered",
        cure="Wait for the seconds in Retry-After and repeat the request with the same Idempotency-Key.",
    ),
    ProblemType(
        code="already_claimed",
        status=409,
        title="Somebody else holds the case",
        cure="Take another case, or come back when the claim has run out.",
    ),
    ProblemType(
        code="already_decided",
        status=409,
        title="The case was decided before",
        cure="The member decision of this problem is the one that won; reverse it if it is wrong.",
    ),
    ProblemType(
        code="case_closed",
        status=409,
        title="The case no longer waits for a human",
        cure="Read the post to see what was decided.",
    ),
    ProblemType(
        code="not_decided",
        status=409,
        title="It waits for its first decision",
        cure="Ask for a second look once a person has decided, and no case of the post is open.",
    ),
    ProblemType(
        code="still_running",
        status=409,
        title="An earlier decision is being carried out",
        cure="Large campaigns take some seconds; try again when their members are decided.",
    ),
    ProblemType(
        code="nothing_to_decide",
        status=409,
        title="No post of the campaign waits for this",
        cure="Read its members: they were decided one by one, or together.",
    ),
    ProblemType(
        code="nothing_to_draw",
        status=409,
        title="No post is left to be drawn",
        cure="Ask for more days, or when more posts have come: nobody labels a post twice.",
    ),
    ProblemType(
        code="too_many_drawn",
        status=409,
        title="Drawn posts wait already",
        cure="Have those labelled first, or cancel their draw.",
    ),
    ProblemType(
        code="shared_campaign",
        status=409,
        title="The campaign holds posts of other platforms",
        cure="Decide your cases one by one, or ask a lead of the desk to decide the campaign.",
    ),
    ProblemType(
        code="claim_lost",
        status=409,
        title="The claim has run out",
        cure="Claim the case again, look at it, then decide.",
    ),
    ProblemType(
        code="post_changed",
        status=409,
        title="The post was edited meanwhile",
        cure="Read the case again: it has a higher version.",
    ),
    ProblemType(
        code="already_reversed",
        status=409,
        title="The decision was taken back before",
        cure="Read the post to see which decision holds.",
    ),
    ProblemType(
        code="same_verdict",
        status=409,
        title="The decision says this already",
        cure="Nothing needs to be done.",
    ),
    ProblemType(
        code="rule_exists",
        status=409,
        title="A rule about this is in force",
        cure="Lift the old rule first, if its effect, end or reason should change.",
    ),
    ProblemType(
        code="already_active",
        status=409,
        title="The rule was activated before",
        cure="Nothing needs to be done: it holds.",
    ),
    ProblemType(
        code="rule_ended",
        status=409,
        title="The rule was lifted, or its end has passed",
        cure="Make a new one.",
    ),
    ProblemType(
        code="endpoint_exists",
        status=409,
        title="There is an endpoint with this address",
        cure="Change that one, or remove it first.",
    ),
    ProblemType(
        code="too_many_endpoints",
        status=409,
        title="There are too many endpoints",
        cure="Remove one that is not used.",
    ),
    ProblemType(
        code="no_replay",
        status=409,
        title="The delivery cannot be sent again",
        cure="Enable its endpoint first; a delivery that was cancelled stays so.",
    ),
    ProblemType(
        code="not_ready",
        status=409,
        title="The export is not built yet",
        cure="Ask for the export until its state is ready.",
    ),
    ProblemType(
        code="erased",
        status=410,
        title="It was erased",
        cure="Nothing of it is kept, and nothing about it is taken in any more.",
    ),
    ProblemType(
        code="length_required",
        status=411,
        title="The length of the body is not known",
        cure="Send the header Content-Length instead of a chunked body.",
    ),
    ProblemType(
        code="precondition_failed",
        status=412,
        title="It was changed since it was read",
        cure="Read it again, and send its new ETag in If-Match.",
    ),
    ProblemType(
        code="count_moved",
        status=412,
        title="The campaign has another number of posts by now",
        cure="Look at the members that joined since, then send the count that the member found names.",
    ),
    ProblemType(
        code="body_too_slow",
        status=408,
        title="The body did not come in time",
        cure="Send it again, faster or in smaller parts: 15 seconds, and one more for every 16 KiB.",
    ),
    ProblemType(
        code="body_too_large",
        status=413,
        title="The body is too large",
        cure="Send less at once; the detail names the limit. Nothing was read or stored.",
    ),
    ProblemType(
        code="unsupported_media_type",
        status=415,
        title="The body has the wrong type",
        cure="Send application/json, or application/x-ndjson to posts:bulk.",
    ),
    ProblemType(
        code="unsupported_encoding",
        status=415,
        title="The body is packed",
        cure="Send it as it is, in UTF-8, without Content-Encoding.",
    ),
    ProblemType(
        code="idempotency_key_reused",
        status=422,
        title="The Idempotency-Key belongs to another request",
        cure="Use a new key for every new request; a repetition has the very same path and body.",
    ),
    ProblemType(
        code="invalid_fields",
        status=422,
        title="Fields were refused",
        cure="Each entry of errors names a field by JSON pointer (in a query: the parameter) and a reason.",
    ),
    ProblemType(
        code="rate_limited",
        status=429,
        title="Too many requests",
        cure="Wait for the seconds in Retry-After. The operator can raise the limit of a key.",
    ),
    ProblemType(
        code="internal_error",
        status=500,
        title="Something broke on our side",
        cure="Try again later; if it stays, tell us the request_id.",
    ),
    ProblemType(
        code="unavailable",
        status=503,
        title="The server cannot answer now",
        cure="Try again after the seconds in Retry-After; repeating a post or complaint is safe.",
    ),
    ProblemType(
        code="cannot_encrypt",
        status=503,
        title="Signing secrets cannot be kept",
        cure="The operator has to set SPAMDESK_ENCRYPTION_KEYS. Nothing was stored or sent unsigned.",
    ),
)
