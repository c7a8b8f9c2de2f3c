"""The base of all API views: keys, scopes, rate limits, strict JSON, size limits before reading."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from moderation.api.authentication import HasScope, KeyAuthentication, key_of, platform_of
from moderation.api.errors import Refused
from moderation.api.idempotency import HEADER, idempotent
from moderation.api.parsers import StrictJsonParser, refuse_packed
from moderation.api.problems import CONTENT_TYPE, PROBLEMS
from moderation.api.serializers.answers import ProblemSerializer
from moderation.api.serializers.strict import StrictSerializer
from moderation.models import ApiKey, desk_settings
from moderation.operations.infrastructure import limits
from moderation.operations.infrastructure.limits import Bucket

MEBIBYTE = 1024 * 1024
_Row = TypeVar("_Row", bound=Model)

_BODY_PROBLEMS = (
    "malformed_body",
    "length_required",
    "body_too_large",
    "body_too_slow",
    "unsupported_media_type",
    "unsupported_encoding",
    "invalid_fields",
)
"""What can be wrong with any body."""

_WRITE_PROBLEMS = (*_BODY_PROBLEMS, "request_in_flight", "idempotency_key_reused")
"""What can be wrong with any POST."""

PERSON_PROBLEMS = ("nobody_behind_key", "not_allowed")
"""What can be wrong where a key acts for a person who needs a right."""

_EVERY_PROBLEM = (
    "malformed_request",
    "not_authenticated",
    "invalid_key",
    "revoked_key",
    "expired_key",
    "platform_off",
    "missing_scope",
    "tls_required",
    "not_acceptable",
    "rate_limited",
    "unavailable",
)
"""What can be wrong with any request to an operation."""

_ONCE = OpenApiParameter(
    HEADER,
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[\x21-\x7e]+$"},
    OpenApiParameter.HEADER,
    description=(
        "A name of your choice for this request. Sent again within 24 h, it gets the first answer; "
        "with another path or body 422 idempotency_key_reused, "
        "while the first is at work 409 request_in_flight."
    ),
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag that you read, with its quotes; several with commas, or *. 412 if none holds.",
)


class ApiView(APIView):
    """A view that a platform calls with its key. Each method is an `operation`."""

    authentication_classes = [KeyAuthentication]
    permission_classes = [HasScope]
    parser_classes: Any = [StrictJsonParser]
    renderer_classes = [JSONRenderer]
    # The OpenAPI document describes the views; OPTIONS would be a second, poorer description.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    # Answers that are stored encrypted under an Idempotency-Key.
    shows_secret = False
    # Its `post` loads models, up to a minute: under an Idempotency-Key it runs outside a transaction.
    waits_for_triton = False
    # Above a 10 MB text, so that the answer to a careless sender can name the field.
    max_body_bytes = 12 * MEBIBYTE

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check key, scope and limit, then the size. Raises Refused before a byte of the body is read."""
        super().initial(request, *args, **kwargs)
        # Before the size: bodies that are refused count, or a client could send them without end.
        self.charge(request, self.bucket(key_of(request)))
        length = request.META.get("CONTENT_LENGTH") or "0"
        # Without a length Django treats the body as empty, and the error would be about missing fields.
        if request.headers.get("Transfer-Encoding") and not request.META.get("CONTENT_LENGTH"):
            raise Refused("length_required", "Send the header Content-Length.")
        if not length.isdigit() or int(length) > self.max_body_bytes:
            raise Refused("body_too_large", f"A body may have {self.max_body_bytes // MEBIBYTE} MiB here.")
        if int(length):
            refuse_packed(request)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Forbid caches to store answers: they hold personal data."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        answer.headers["Cache-Control"] = "no-store"
        if answer.status_code == 415:
            answer.headers["Accept-Encoding"] = "identity"
        taken: limits.Taken | None = getattr(self, "taken", None)
        if taken is not None:
            bucket = taken.bucket
            answer.headers["RateLimit-Policy"] = f'"{bucket.name}";q={bucket.burst};w={bucket.window_seconds}'
            answer.headers["RateLimit"] = f'"{bucket.name}";r={taken.remaining};t={taken.reset_seconds}'
        return answer

    def bucket(self, key: ApiKey) -> Bucket:  # noqa: ARG002 - views whose limit differs by key look at it
        """Return the rate limit that a request counts towards."""
        return Bucket(name="calls", per_minute=settings.CALLS_PER_MINUTE, burst=settings.CALLS_BURST)

    def charge(self, request: Request, bucket: Bucket, *, cost: int = 1) -> None:
        """Take from the key's rate limit; the answer's headers say what is left. Raises LimitReached."""
        try:
            self.taken = limits.take(bucket=bucket, owner=str(request.auth.pk), at=timezone.now(), cost=cost)
        except limits.LimitReached as reached:
            self.taken = reached.taken
            raise

    def read(self, kind: type[StrictSerializer], request: Request) -> dict[str, Any]:
        """Return the body's validated fields. Raises ValidationError."""
        reader = kind(data=request.data, context={"is_lenient": is_lenient(request)})
        reader.is_valid(raise_exception=True)
        values: dict[str, Any] = reader.validated_data
        return values

    def query(self, kind: type[StrictSerializer], request: Request) -> dict[str, Any]:
        """Return the validated parameters of the URL. Raises ValidationError."""
        reader = kind(data=request.query_params.dict())
        reader.is_valid(raise_exception=True)
        values: dict[str, Any] = reader.validated_data
        return values


class PostingView(ApiView):
    """A view that receives posts: the rate limit counts posts."""

    def bucket(self, key: ApiKey) -> Bucket:
        """Return the key's limit of posts; a burst is what ten seconds allow."""
        per_minute = key.posts_per_minute or desk_settings.current().posts_per_minute
        return Bucket(name="posts", per_minute=per_minute, burst=max(1, per_minute // 6))


def is_lenient(request: Request) -> bool:
    """Tell whether unknown fields are left out: the platform's setting, or `Prefer` (RFC 7240) for once."""
    preferences = request.headers.get("Prefer", "").replace(" ", "").lower().split(",")
    return "handling=lenient" in preferences or platform_of(request).ignores_unknown_fields


@contextmanager
def known(model: type[Model], absent: str) -> Iterator[None]:
    """Say that there is no such row, where the block does not find one. Raises Refused."""
    try:
        yield
    except model.DoesNotExist:  # type: ignore[attr-defined]  # concrete models have it
        raise Refused("not_found", absent) from None


def one_of(rows: QuerySet[_Row], identifier: str, absent: str) -> _Row:
    """Return the row with this id of ours. Raises Refused."""
    row = rows.filter(pk=number_of(identifier)).first()
    if row is None:
        raise Refused("not_found", absent)
    return row


def made(answer: Any, *, at: str, pk: int, status: int = 201) -> Response:
    """Answer with what was made, and with the path of its route in the header Location."""
    return Response(answer, status=status, headers={"Location": reverse(at, args=[str(pk)])})


def refuse_changed(request: Request, etag: str) -> None:
    """Compare If-Match, if given, with the current ETag. Raises Refused."""
    wanted = request.headers.get("If-Match")
    # A list of ETags, as RFC 9110 §13.1.1 allows. Weak ones (W/"3") are refused: they promise too little for
    # a write.
    if wanted is not None and wanted.strip() != "*" and etag not in wanted.replace(" ", "").split(","):
        raise Refused("precondition_failed", f"It has the ETag {etag} now.")


def etag_of(version: int) -> str:
    """Return the ETag of a version."""
    return f'"{version}"'


def number_of(identifier: str) -> int:
    """Return an id of ours as a number; 0, which no row has, if it is malformed."""
    is_number = identifier.isascii() and identifier.isdigit() and len(identifier) < 19
    return int(identifier) if is_number else 0


class NothingHere(ApiView):
    """Answers for every address below /api/ that has no view."""

    authentication_classes = []
    permission_classes = [AllowAny]
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002 - DRF's signature
        """Answer 404 for every method."""
        raise Refused("not_found", "There is nothing at this address.")


def operation(  # noqa: PLR0913 - what the document says of an operation
    name: str,
    summary: str,
    says: str = "",
    *,
    scope: str,
    also: str = "",
    parameters: Sequence[Any] = (),
    takes: Any = None,
    answers: Mapping[Any, Any],
    refuses: Sequence[str] = (),
) -> Callable[[Any], Any]:
    """Decorate a view's method: the scope that its key needs, and what the OpenAPI document says of it.

    `also` is a scope that the method itself asks for. `refuses` names the problems besides those that every
    operation, parameter, body or POST can have. Every POST can be repeated under an Idempotency-Key.
    """

    def decorate(method: Any) -> Any:
        is_post = method.__name__ == "post"
        of_body = _WRITE_PROBLEMS if is_post else _BODY_PROBLEMS if takes else ()
        general = (*of_body, *(code for one in parameters for code in _problems_of(one)))
        needs = f"Scopes: `{scope}`, and `{also}`." if also else f"Scope: `{scope}`."
        describe = extend_schema(
            operation_id=name,
            summary=summary,
            description=f"{says} {needs}".strip(),
            parameters=[_ONCE, *parameters] if is_post else [*parameters],
            request=takes,
            responses={**answers, **_problem_responses(*refuses, *general)},
        )
        method.scope = scope
        return describe(idempotent(method) if is_post else method)

    return decorate


def _problems_of(parameter: Any) -> tuple[str, ...]:
    """Return what can be wrong with a parameter, or with those of a query."""
    if isinstance(parameter, type):
        return ("invalid_fields",)
    if parameter.location == OpenApiParameter.PATH:
        return ("not_found",)
    return ("precondition_failed",) if parameter is IF_MATCH else ()


def _problem_responses(*codes: str) -> dict[Any, OpenApiResponse]:
    """Return the OpenAPI responses for these problems, besides those that every view can give."""
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys((*_EVERY_PROBLEM, *codes)):
        kind = PROBLEMS[code]
        by_status.setdefault(kind.status, []).append(f"`{code}`: {kind.title}")
    return {
        (status, CONTENT_TYPE): OpenApiResponse(ProblemSerializer, description="; ".join(said))
        for status, said in sorted(by_status.items())
    }


def in_path(name: str, description: str) -> OpenApiParameter:
    """Return a part of the path, for the OpenAPI document."""
    return OpenApiParameter(name, str, OpenApiParameter.PATH, description=description)


def etag_header(status: int) -> OpenApiParameter:
    """Return the header ETag of this answer."""
    return _header("ETag", status, description="Its version; send it in If-Match.")


def location_header(status: int) -> OpenApiParameter:
    """Return the header Location of this answer."""
    return _header("Location", status, description="The path of what was made.")


def _header(name: str, status: int, *, description: str) -> OpenApiParameter:
    return OpenApiParameter(
        name, str, OpenApiParameter.HEADER, required=True, description=description, response=[status]
    )
