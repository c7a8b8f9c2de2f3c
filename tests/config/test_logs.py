"""Promise: what people wrote stays out of the logs, also when the database refuses their row."""

import logging
import uuid
from datetime import UTC, datetime

import pytest
import structlog
from django.db import IntegrityError

from config.logs import LOGGING
from moderation.models import Author


def test_a_refused_row_is_not_quoted(db: None) -> None:
    word = uuid.uuid4().hex
    with pytest.raises(IntegrityError) as refused:
        Author.objects.create(
            display_name=f"{word}\n\n{word}", first_seen_at=datetime(2026, 3, 1, tzinfo=UTC)
        )
    assert word in str(refused.value)
    error = (refused.type, refused.value, refused.tb)
    record = logging.LogRecord("django.request", logging.ERROR, __file__, 1, "failed", None, error)
    settings = {name: value for name, value in LOGGING["formatters"]["json"].items() if name != "()"}

    line = structlog.stdlib.ProcessorFormatter(**settings).format(record)

    assert word not in line
    assert line.count("null value in column") == 2
