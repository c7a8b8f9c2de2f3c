"""The audit log and the head of its chain of hashes."""

from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api.authentication import key_of, platform_of
from moderation.api.errors import Refused
from moderation.api.serializers.audit import AuditHeadSerializer, AuditPageSerializer
from moderation.api.serializers.cursors import IdPageQuerySerializer
from moderation.api.views.base import ApiView, operation
from moderation.models.platforms import Scope
from moderation.operations.audit import chain
from moderation.queries import audit


class AuditLog(ApiView):
    @operation(
        "read_audit_log",
        "Read the audit log along its chain of hashes",
        (
            "Sealed entries in the order of the chain. Keep `next_cursor` and pass it as `cursor`, at once "
            "while `has_more`, otherwise at the next poll: nothing is skipped or repeated. While other "
            "platforms use the installation, an entry that is not about yours is null, and its link stays. "
            "IP addresses are masked, unless the key acts for somebody who may read them. A key that acts "
            "for a person needs a lead or an administrator."
        ),
        scope=Scope.AUDIT_READ,
        parameters=[IdPageQuerySerializer],
        answers={200: AuditPageSerializer},
        refuses=("not_allowed",),
    )
    def get(self, request: Request) -> Response:
        reads_addresses = _may_read_addresses(request)
        asked = self.query(IdPageQuerySerializer, request)
        [after] = asked.get("after") or (0,)
        found = audit.chain_page(platform=platform_of(request), after=after, limit=asked["limit"])
        return Response(AuditPageSerializer(found, context={"reads_addresses": reads_addresses}).data)


class AuditHead(ApiView):
    @operation(
        "read_audit_head",
        "Read the end of the chain",
        "Keep it outside this installation: a log that was rewritten later no longer leads to this hash.",
        scope=Scope.AUDIT_READ,
        answers={200: AuditHeadSerializer},
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the same for every key
        return Response(AuditHeadSerializer(chain.head()).data)


def _may_read_addresses(request: Request) -> bool:
    """Return whether the person behind the key may. Raises Refused if they may not read the log at all."""
    person = key_of(request).acts_as
    if person is None:
        return False
    if not person.is_active or not person.may_lead:
        raise Refused("not_allowed", "Only leads and administrators read the audit log.")
    return person.may_read_addresses
