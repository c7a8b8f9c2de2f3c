"""Language tags, as BCP 47 writes them."""

from __future__ import annotations

import re
from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field

from moderation.api.serializers.fields import TextField

MAX_LANGUAGE_LENGTH = 16

_SHAPE = re.compile(r"\A[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z")
_VALID = RegexValidator(_SHAPE, "Must be a language tag such as en or pt-BR.")


@extend_schema_field(
    {"type": "string", "pattern": "^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", "maxLength": MAX_LANGUAGE_LENGTH}
)
class LanguageField(TextField):
    """A language tag, or nothing where the language is not known."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_LANGUAGE_LENGTH, allow_blank=True, validators=[_VALID], **kwargs)


def is_language(tag: str) -> bool:
    """Tell whether a tag is one of BCP 47, by its shape."""
    return _SHAPE.search(tag) is not None
