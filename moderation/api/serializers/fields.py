"""Fields that accept exactly the JSON type that they name, without coercion.

DRF's own fields turn 5 into "5", "yes" into true and true into 1; a sender's bug would become a stored fact.
"""

import base64
import ipaddress
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.validators import RegexValidator
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

MAX_WHOLE_NUMBER = 2_147_483_647
"""The largest value of PostgreSQL's integer."""

MAX_LANGUAGE_LENGTH = 16

_LANGUAGE_SHAPE = re.compile(r"\A[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z")
_LANGUAGE = RegexValidator(_LANGUAGE_SHAPE, "Must be a language tag such as en or pt-BR.")
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_CLOCK_SKEW = timedelta(minutes=5)

MAX_PICTURES = 5
MAX_PICTURE_BYTES = 2_000_000
_MAX_PICTURE_LENGTH = 4 * ((MAX_PICTURE_BYTES + 2) // 3)


class TextField(serializers.CharField):
    """A JSON string, kept to the character. PostgreSQL cannot store NUL and lone surrogates: refused."""

    default_error_messages = {"invalid": "Must be a string."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data


@extend_schema_field(
    {"type": "string", "pattern": "^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", "maxLength": MAX_LANGUAGE_LENGTH}
)
class LanguageField(TextField):
    """A language tag as BCP 47 writes it, or nothing where the language is not known."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=MAX_LANGUAGE_LENGTH, allow_blank=True, validators=[_LANGUAGE], **kwargs)


def is_language(tag: str) -> bool:
    """Tell whether a tag is one of BCP 47, by its shape."""
    return _LANGUAGE_SHAPE.search(tag) is not None


class WholeNumberField(serializers.IntegerField):
    """A JSON number without a fraction, from 0 to what the database holds."""

    default_error_messages = {
        "invalid": "Must be a whole number.",
        "max_value": "Must not be more than {max_value}.",
    }

    def __init__(self, *, min_value: int = 0, max_value: int = MAX_WHOLE_NUMBER, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        """Return the number; 5.0 is 5, as in JSON Schema. A boolean is no number, though Python thinks so."""
        if isinstance(data, float) and data.is_integer():
            return int(data)
        if isinstance(data, int) and not isinstance(data, bool):
            return data
        return self.fail("invalid")


class FlagField(serializers.BooleanField):
    """JSON's true or false."""

    default_error_messages = {"invalid": "Must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input="")
        return data


class InstantField(serializers.DateTimeField):
    """A point in time in ISO 8601 with its offset, since 1990 and not in the future, as UTC."""

    default_error_messages = {
        "invalid": "Must be a time in ISO 8601, such as 2026-03-01T09:30:00Z.",
        "no_offset": "Must say its offset from UTC, such as Z or +02:00.",
        "too_early": "Must not be before 1990.",
        "in_future": "Must not be in the future.",
    }

    def to_internal_value(self, value: Any) -> datetime:
        """Return the instant. Up to five minutes in the future are tolerated, since clocks differ."""
        instant = self.read(value)
        if instant > timezone.now() + _CLOCK_SKEW:
            self.fail("in_future")
        return instant

    def read(self, value: Any) -> datetime:
        """Return the instant, be it past or future."""
        instant = self._parsed(value)
        if instant.tzinfo is None:
            self.fail("no_offset")
        try:
            instant = instant.astimezone(UTC)
        # The first and the last day of the calendar have no UTC form for every offset:
        # 0001-01-01T00:00+14:00.
        except OverflowError:
            self.fail("too_early" if instant.year < 1990 else "in_future")
        if instant < _EARLIEST:
            self.fail("too_early")
        return instant

    def _parsed(self, value: Any) -> datetime:
        # A week of digits or a date alone would parse as well: only the long form has a "T".
        if not isinstance(value, str) or len(value) > 40 or "T" not in value.upper()[:11]:
            self.fail("invalid", format="")
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            self.fail("invalid", format="")


class OneOfField(serializers.ChoiceField):
    """One of a few strings."""

    def to_internal_value(self, data: Any) -> str:
        """Return the choice. The refusal lists the choices instead of quoting what may be megabytes."""
        if not isinstance(data, str) or data not in self.choices:
            raise serializers.ValidationError(
                f"Must be one of {', '.join(self.choices)}.", code="invalid_choice"
            )
        return data


class AddressField(TextField):
    """An IPv4 or IPv6 address. IPv4 inside IPv6 is unpacked, so that one sender has one address."""

    default_error_messages = {"invalid_address": "Must be an IPv4 or IPv6 address."}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=45, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        """Return the address in its shortest form. A zone (%eth0) means nothing here and is refused."""
        text = super().to_internal_value(data)
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            self.fail("invalid_address")
        if isinstance(address, ipaddress.IPv6Address):
            if address.scope_id:
                self.fail("invalid_address")
            return str(address.ipv4_mapped or address)
        return str(address)


class BoundedListField(serializers.ListField):
    """A JSON array. Its length is looked at before its items are."""

    default_error_messages = {
        "not_a_list": "Must be an array.",
        "max_length": "Must not have more than {max_length} items.",
    }

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("not_a_list", input_type="")
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return list(super().to_internal_value(data))


class TextListField(BoundedListField):
    """A JSON array of strings."""

    def __init__(self, *, max_items: int, max_length: int, **kwargs: Any) -> None:
        super().__init__(child=TextField(min_length=1, max_length=max_length), max_length=max_items, **kwargs)


def field_refusal(field: str, detail: str, *, code: str) -> serializers.ValidationError:
    """Return the refusal of one field."""
    return serializers.ValidationError({field: [serializers.ErrorDetail(detail, code=code)]})


@extend_schema_field({"type": "string", "format": "byte", "minLength": 1, "maxLength": _MAX_PICTURE_LENGTH})
class PictureField(serializers.Field[bytes, str, str, Any]):
    """The bytes of a picture, in base64. What they are is found out when they are read."""

    default_error_messages = {
        "invalid": "Must be a string.",
        "base64": "Must be base64 (RFC 4648, section 4), without line ends.",
        "too_large": f"Must have at most {MAX_PICTURE_BYTES:,} bytes.",
    }

    def to_internal_value(self, data: Any) -> bytes:
        if not isinstance(data, str):
            self.fail("invalid")
        if len(data) > _MAX_PICTURE_LENGTH:
            self.fail("too_large")
        try:
            found = base64.b64decode(data, validate=True)
        except ValueError:
            found = b""
        if not found:
            self.fail("base64")
        return found

    def to_representation(self, value: bytes) -> str:
        return base64.b64encode(value).decode()


class PicturesField(BoundedListField):
    """Pictures of a post."""

    def __init__(self, **kwargs: Any) -> None:
        says = f"Pictures themselves, in base64, each of at most {MAX_PICTURE_BYTES:,} bytes."
        super().__init__(child=PictureField(), max_length=MAX_PICTURES, help_text=says, **kwargs)
