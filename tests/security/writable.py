"""Every field of free text that an endpoint or a page accepts, by name; found, not listed."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib.auth.forms import UsernameField
from drf_spectacular.generators import SchemaGenerator

from moderation import web
from moderation.web.forms import ManyForm, ReasonedForm
from moderation.web.lists.filter_form import FilterForm

_BASES = (ManyForm, ReasonedForm)
"""Only the forms below them are filled in."""


def api_fields() -> set[str]:
    """Return `operation/field/inside` of every string in a body that is neither a choice nor a time."""
    generator: Any = SchemaGenerator
    document = generator().get_schema(request=None, public=True)
    schemas = document["components"]["schemas"]
    return {
        f"{operation['operationId']}{path}"
        for operations in document["paths"].values()
        for operation in operations.values()
        for body in operation.get("requestBody", {}).get("content", {}).values()
        for path in _texts(body["schema"], schemas)
    }


def desk_fields() -> set[str]:
    """Return `Form.field` of every field of the desk's forms that takes any text.

    Filters of a list are questions, which nobody stores; what is saved under a name is KeepFilterForm.query.
    """
    for module in pkgutil.walk_packages(web.__path__, f"{web.__name__}."):
        importlib.import_module(module.name)
    return {
        f"{form.__name__}.{name}"
        for form in _below(forms.Form)
        if form.__module__.startswith(web.__name__)
        and not issubclass(form, FilterForm)
        and form not in _BASES
        for name, field in form.base_fields.items()
        if type(field) is forms.CharField
        or isinstance(field, (forms.RegexField, forms.URLField, UsernameField))
    }


def _below(form: type[forms.Form]) -> Iterator[type[forms.Form]]:
    for kind in form.__subclasses__():
        yield kind
        yield from _below(kind)


def _texts(schema: dict[str, Any], schemas: dict[str, Any], path: str = "") -> Iterator[str]:
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    kinds = schema.get("type", [])
    for part in (part for name in ("allOf", "oneOf", "anyOf") for part in schema.get(name, ())):
        yield from _texts(part, schemas, path)
    for name, part in schema.get("properties", {}).items():
        yield from _texts(part, schemas, f"{path}/{name}")
    if "array" in kinds:
        yield from _texts(schema["items"], schemas, f"{path}/*")
    if "string" in kinds and "enum" not in schema and schema.get("format") != "date-time":
        yield path
