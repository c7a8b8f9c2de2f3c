"""The filters of a list, read from its address."""

import functools
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.http import QueryDict
from django.utils.text import Truncator

from moderation.models.preferences import FilterPage
from moderation.queries.accounts import users
from moderation.web import days

_LONGEST_NAME = 40


class OptionField(forms.ChoiceField):
    """A choice among rows of the database: `options` names the method of the form that returns the pairs."""

    def __init__(self, options: str) -> None:
        super().__init__(required=False)
        self.options = options


class FilterForm(forms.Form):
    """A form of filters: a value that is invalid or not among the choices counts as missing.

    Other parameters of an address are ignored. Forms with a `page` can be saved under a name.
    """

    page: ClassVar[FilterPage | None] = None

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        for field in self.fields.values():
            if isinstance(field, OptionField):
                # Read once, by checking a value or by rendering the select.
                field.choices = functools.cache(getattr(self, field.options))

    def given(self, name: str) -> Any:
        """Return a cleaned value, "" if it is missing, invalid or not ticked."""
        self.is_valid()
        value = self.cleaned_data.get(name)
        return "" if value is None or value is False else value

    def offered(self, name: str) -> list[tuple[str, str]]:
        """Return the pairs that an OptionField offers, read once."""
        field: Any = self.fields[name]
        return list(field.choices)

    @property
    def chosen(self) -> dict[str, Any]:
        """The value of each filter, for the template; "" where none is chosen."""
        return {name: self.given(name) for name in self.fields}

    def is_filtered_besides(self, name: str) -> bool:
        """Tell whether any other filter is set."""
        return any(value != "" for other, value in self.chosen.items() if other != name)

    def window(self) -> tuple[datetime | None, datetime | None]:
        """Return the instants [since, until) of the fields of these names; None is open."""
        return days.window(self.given("since") or None, self.given("until") or None)

    @classmethod
    def query_of(cls, given: QueryDict) -> str:
        """Return the query string of those filters that an address sets."""
        query = QueryDict(mutable=True)
        for name in cls.base_fields:
            if value := given.get(name, "").strip():
                query[name] = value
        return query.urlencode()


def options_of_users() -> list[tuple[str, str]]:
    """Return everybody's id and name, as options of a select."""
    names = ((user.pk, user.get_full_name() or user.username) for user in users.by_name())
    return [(str(pk), Truncator(name).chars(_LONGEST_NAME)) for pk, name in names]
