"""Refusals of any request: form, size, rate limits, and internal failures."""

from __future__ import annotations

from moderation.api.problem_types.problem_type import ProblemType

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
        code="tls_required",
        status=403,
        title="The request came over plain HTTP",
        cure="Call https. A key that was sent in the clear may be known to others: exchange it.",
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
        code="body_too_slow",
        status=408,
        title="The body did not come in time",
        cure="Send it again, faster or in smaller parts: 15 seconds, and one more for every 16 KiB.",
    ),
    ProblemType(
        code="request_in_flight",
        status=409,
        title="The first request is still being answered",
        cure="Wait for the seconds in Retry-After and repeat the request with the same Idempotency-Key.",
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
)
