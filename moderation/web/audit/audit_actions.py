"""The acts of the audit log in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ACTIONS: dict[str, StrOrPromise] = {
    "campaign.corrected": _("Campaign corrected"),
    "campaign.decided": _("Campaign decided"),
    "campaign.left_out": _("Post excluded from a campaign"),
    "campaign.seen": _("Campaign decided through the API"),
    "campaign.taken_in": _("Post included in a campaign"),
    "campaign.undone": _("Campaign decision undone"),
    "case.appealed": _("Appeal received"),
    "case.escalated": _("Case escalated"),
    "case.noted": _("Note written"),
    "author.noted": _("Author note written"),
    "case.second_review": _("Second review requested"),
    "case.skipped": _("Case skipped"),
    "cases.decided": _("Selected cases decided"),
    "cases.undone": _("Selected cases undone"),
    "decision.created": _("Decision made"),
    "decision.reversed": _("Decision corrected"),
    "decision.undone": _("Decision undone"),
    "delivery.replayed": _("Delivery sent again"),
    "draw.asked": _("Random labels requested"),
    "draw.cancelled": _("Random labels cancelled"),
    "export.requested": _("Export requested"),
    "key.issued": _("API key issued"),
    "key.revoked": _("API key revoked"),
    "mention.settled": _("Mention done"),
    "platform.registered": _("Platform added"),
    "platform.renamed": _("Platform renamed"),
    "platform.sampled": _("Sampling changed"),
    "post.translated": _("Post sent to be translated"),
    "posts.expired": _("Expired posts erased"),
    "queue.added": _("Queue added"),
    "queue.assigned": _("Queue assigned"),
    "queue.changed": _("Queue changed"),
    "queue.deleted": _("Queue deleted"),
    "queue.withdrawn": _("Queue unassigned"),
    "reason.added": _("Reason added"),
    "reason.changed": _("Reason changed"),
    "rule.activated": _("Rule activated"),
    "rule.drafted": _("Rule proposed"),
    "rule.lifted": _("Rule lifted"),
    "user.changed": _("User changed"),
    "user.created": _("User added"),
    "user.deactivated": _("Account deactivated"),
    "user.device_link_made": _("Sign-in link created"),
    "user.device_link_used": _("Sign-in link used"),
    "user.languages": _("Languages of a user changed"),
    "user.password_chosen": _("Password chosen"),
    "user.password_reset": _("Password reset"),
    "user.sessions_ended": _("Sessions ended"),
    "user.reactivated": _("Account reactivated"),
    "webhook.added": _("Endpoint added"),
    "webhook.changed": _("Endpoint changed"),
    "webhook.disabled": _("Endpoint disabled"),
    "webhook.pinged": _("Test message sent"),
    "webhook.removed": _("Endpoint removed"),
    "webhook.secret_rotated": _("Signing secret replaced"),
}
"""An act without words stands as its code."""
