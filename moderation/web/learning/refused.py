"""What people read where a release does not go live."""

from __future__ import annotations

from django.utils.translation import gettext as _


def words(refusal: Exception) -> str:
    """Say that the live release stays, and why; a refusal without a message is told by its name."""
    return _("The live release stays: %(reason)s") % {"reason": str(refusal) or type(refusal).__name__}
