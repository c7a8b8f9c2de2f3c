"""Logs as JSON lines, one shape for structlog and for the libraries' own loggers."""

import re
from typing import Any

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

# PostgreSQL's errors quote the refused row, which holds personal data, up to the next exception of the chain.
_REFUSED_ROW = re.compile(r"\nDETAIL:.*?(?=\n\nThe above exception|\n\nDuring handling|\Z)", re.DOTALL)


def _leave_out_rows(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    if "exception" in event:
        event["exception"] = _REFUSED_ROW.sub("", event["exception"])
    return event


_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
    structlog.processors.format_exc_info,
    _leave_out_rows,
]

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": _SHARED,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        },
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        # A refused request (4xx) is counted, not logged as a warning; a 500 is still logged as an error.
        "django.request": {"level": "ERROR"},
        "django": {"handlers": [], "level": "INFO"},
        "httpx": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "axes": {"level": "WARNING"},
        "opentelemetry": {"level": "ERROR"},  # else each try to reach a collector that is away
    },
}


def configure() -> None:
    """Route structlog's events through the standard library, so that one handler writes all lines."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
