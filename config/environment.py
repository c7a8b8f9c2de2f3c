"""Environment variables, typed and checked once, before Django reads its settings.

Every refusal is one line that names the variable, so that an operator can fix it without reading code.
"""

import json
import os
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import evidence

ROOT = Path(__file__).resolve().parent.parent
DEMO_SECRET_KEY = "spamdesk-demo-secret-that-production-refuses-to-start-with"  # noqa: S105 - refused in production

ROLES = {"moderator", "lead", "ml_engineer", "admin"}

_COLLECTOR = "OTEL_EXPORTER_OTLP_ENDPOINT"
_NEEDED = (
    ("TRITON_URL", "sagemaker:", "boto3", "sagemaker"),
    ("SPAMDESK_EVIDENCE_STORE", "s3:", "boto3", "sagemaker"),
    (_COLLECTOR, "http", "opentelemetry-exporter-otlp-proto-http", "tracing"),
)
"""Settings, how values begin that need a package, that package, and where it is pinned."""


class Mode(StrEnum):
    """The purpose of the installation; production is strict."""

    DEMO = "demo"
    TEST = "test"
    PRODUCTION = "production"


class Environment:
    """The settings that an operator chooses; the operator's guide says what each one does."""

    def __init__(self, variables: Mapping[str, str] = os.environ) -> None:
        """Read and check the variables. Raises ImproperlyConfigured with one line that names the variable."""
        self.mode = mode = _mode(variables)
        self.state_dir = state_dir = _folder(variables, "SPAMDESK_STATE_DIR", default=ROOT / ".state")
        number = partial(_whole_number, variables)
        self.secret_key = _secret_key(variables, mode=mode)
        self.allowed_hosts = _allowed_hosts(variables, mode=mode)
        self.akismet_host = _akismet_host(variables)
        self.database_url = _url(variables, "DATABASE_URL", schemes=("postgresql", "postgres"))
        self.broker_url = _url(variables, "CELERY_BROKER_URL", schemes=("redis", "rediss"))
        self.triton_url = _triton_url(variables)
        self.release_dir = _folder(variables, "SPAMDESK_RELEASE_DIR", default=ROOT / "scoring" / "starter")
        self.triton_models_dir = _folder(
            variables, "SPAMDESK_TRITON_MODELS_DIR", default=state_dir / "triton" / "models"
        )
        self.triton_admin_key = variables.get("SPAMDESK_TRITON_ADMIN_KEY", "")
        self.triton_admin_socket = _folder(
            variables, "SPAMDESK_TRITON_ADMIN_SOCKET", default=state_dir / "triton" / "admin" / "http.sock"
        )
        self.web_port = number("SPAMDESK_WEB_PORT", default=8000, maximum=65_535)
        self.egress_private_hosts = _names(variables, "SPAMDESK_EGRESS_PRIVATE_HOSTS")
        self.proxies = number("SPAMDESK_PROXIES", default=0, minimum=0, maximum=9)
        self.metrics_token = variables.get("SPAMDESK_METRICS_TOKEN", "")
        self.encryption_keys = _encryption_keys(variables)
        self.web_risk_key = variables.get("SPAMDESK_WEB_RISK_KEY", "")
        self.wot_key = variables.get("SPAMDESK_WOT_KEY", "")
        self.wot_user = variables.get("SPAMDESK_WOT_USER", "")
        self.rdap_url = _rdap(variables)
        self.speech_model = _given_folder(variables, "SPAMDESK_SPEECH_MODEL")
        self.reader_socket = _given_folder(variables, "SPAMDESK_READER_SOCKET")
        self.evidence_store = evidence.store(variables)
        self.simulated_web_port = evidence.simulated_web_port(
            variables, is_production=mode is Mode.PRODUCTION
        )
        self.erasure_journal = _folder(
            variables, "SPAMDESK_ERASURE_JOURNAL", default=state_dir / "erasures" / "journal.jsonl"
        )
        self.mail = _mail(variables)
        self.oidc = _oidc(variables, mode=mode)
        self.traces_collector = _given_url(variables, _COLLECTOR, schemes=("http", "https")).rstrip("/")
        self.postgres_programs = _given_folder(variables, "SPAMDESK_POSTGRES_PROGRAMS")
        for name, beginning, package, lock in _NEEDED:
            is_named = variables.get(name, "").startswith(beginning)
            if is_named and next(iter(Distribution.discover(name=package)), None) is None:
                raise ImproperlyConfigured(f"{name} needs {package}: install requirements/{lock}.txt.")


def _mode(variables: Mapping[str, str]) -> Mode:
    value = variables.get("SPAMDESK_MODE", Mode.DEMO)
    try:
        return Mode(value)
    except ValueError:
        raise ImproperlyConfigured(f"SPAMDESK_MODE is {value!r}; use demo, test or production.") from None


def _rdap(variables: Mapping[str, str]) -> str:
    """Return the server to ask for the age of domains: none, unless one is named."""
    value = variables.get("SPAMDESK_RDAP_URL", "") or "off"
    if value not in ("iana", "off") and urlsplit(value).scheme not in ("http", "https"):
        raise ImproperlyConfigured(f"SPAMDESK_RDAP_URL is {value!r}; use iana, off or an http address.")
    return value


def _secret_key(variables: Mapping[str, str], *, mode: Mode) -> str:
    key = variables.get("SPAMDESK_SECRET_KEY", "")
    if mode is not Mode.PRODUCTION:
        return key or DEMO_SECRET_KEY
    if key in ("", DEMO_SECRET_KEY):
        raise ImproperlyConfigured("SPAMDESK_SECRET_KEY is missing or the demo's; production needs its own.")
    if len(key) < 50:
        raise ImproperlyConfigured("SPAMDESK_SECRET_KEY has less than 50 characters; production needs more.")
    return key


def _allowed_hosts(variables: Mapping[str, str], *, mode: Mode) -> tuple[str, ...]:
    hosts = _names(variables, "SPAMDESK_ALLOWED_HOSTS")
    if mode is not Mode.PRODUCTION:
        return hosts or ("localhost", "127.0.0.1", "[::1]")
    if not hosts or "*" in hosts:
        raise ImproperlyConfigured(
            "SPAMDESK_ALLOWED_HOSTS must name the host names that production answers to."
        )
    return hosts


def _akismet_host(variables: Mapping[str, str]) -> str:
    host = variables.get("SPAMDESK_AKISMET_HOST", "")
    # A key of 63 characters and a dot come before it, and a host name has at most 253.
    if host and not re.fullmatch(r"(?=.{1,189}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*", host):
        raise ImproperlyConfigured(
            f"SPAMDESK_AKISMET_HOST is {host!r}; it must be one host name in small letters, without port."
        )
    return host


def _mail(variables: Mapping[str, str]) -> tuple[str, int, bool, bool, str, str, str]:
    """Return host, port, whether STARTTLS and TLS are used, user, password and sender; no host if not set."""
    url = urlsplit(_given_url(variables, "SPAMDESK_MAIL_URL", schemes=("smtp", "smtp+tls", "smtp+ssl")))
    [sender] = parse_qs(url.query).get("from", [""])[-1:]
    try:
        port = url.port or {"smtp+tls": 587, "smtp+ssl": 465}.get(url.scheme, 25)
    except ValueError:
        port = 0
    if url.scheme and not (url.hostname and port and re.fullmatch(r"[^@\s]+@[^@\s]+", sender)):
        raise ImproperlyConfigured(
            "SPAMDESK_MAIL_URL must be like smtp+tls://user:password@host:587?from=desk@example.org."
        )
    names = (unquote(url.username or ""), unquote(url.password or ""))
    is_starttls, is_tls = url.scheme == "smtp+tls", url.scheme == "smtp+ssl"
    return (url.hostname or "", port, is_starttls, is_tls, *names, sender)


def _oidc(variables: Mapping[str, str], *, mode: Mode) -> dict[str, Any]:
    """Return the provider that people sign in by, as allauth and the desk read it; empty if not set."""
    schemes = ("https",) if mode is Mode.PRODUCTION else ("https", "http")
    if not (text := variables.get("SPAMDESK_OIDC", "")):
        return {}
    try:
        given = {"claim": "groups", "name": "OpenID Connect"} | json.loads(text)
        issuer, groups = urlsplit(given["issuer"]), given["groups"]
        is_right = issuer.scheme in schemes and bool(issuer.hostname) and set(groups.values()) <= ROLES
        keys = {"client_id": given["client_id"], "secret": given["client_secret"]}
    except (AttributeError, KeyError, TypeError, ValueError):
        is_right = False
    if not is_right:  # never quoted: it holds a secret
        raise ImproperlyConfigured(
            'SPAMDESK_OIDC must be like {"issuer": "https://id.example.org", "client_id": "spamdesk",'
            ' "client_secret": "…", "groups": {"staff": "moderator"}}; roles are ' + ", ".join(sorted(ROLES))
        )
    # Named by its host: another provider's identifiers must not open accounts of this one.
    app = {"provider_id": issuer.netloc, "name": given["name"], "settings": {"server_url": given["issuer"]}}
    # Tokens must name this issuer, whatever is said at its address.
    app["settings"]["openid_configuration_overrides"] = {"issuer": given["issuer"]}
    return {**given, "apps": [app | keys]}


def _names(variables: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in variables.get(name, "").split(","))))


def _encryption_keys(variables: Mapping[str, str]) -> tuple[str, ...]:
    keys = _names(variables, "SPAMDESK_ENCRYPTION_KEYS")
    for key in keys:
        # The value is a secret: describe the format, never quote it.
        if not re.fullmatch(r"[A-Za-z0-9_-]{43}=", key):
            raise ImproperlyConfigured(
                "SPAMDESK_ENCRYPTION_KEYS must hold keys of 32 bytes in URL-safe base64, separated by commas."
            )
    return keys


def _url(variables: Mapping[str, str], name: str, *, schemes: tuple[str, ...]) -> str:
    url = variables.get(name, "")
    if not url:
        raise ImproperlyConfigured(
            f"{name} is not set; `make run` starts everything and sets it, or give an address."
        )
    if urlsplit(url).scheme not in schemes:
        # The value may hold a password: describe the format, never quote it.
        raise ImproperlyConfigured(
            f"{name} must begin with one of {', '.join(f'{scheme}://' for scheme in schemes)}."
        )
    return url


def _triton_url(variables: Mapping[str, str]) -> str:
    url = _url(variables, "TRITON_URL", schemes=("grpc", "http", "sagemaker"))
    scheme, _, name = url.partition("://")
    if scheme != "sagemaker":
        if re.fullmatch(r"[^/?#@\s]+:\d{1,5}/?", name):
            return url
        raise ImproperlyConfigured("TRITON_URL must be like grpc://host:port, with its port.")
    if not re.fullmatch(r"[A-Za-z0-9](-*[A-Za-z0-9]){0,62}", name):
        raise ImproperlyConfigured(f"TRITON_URL is {url!r}; after sagemaker:// comes an endpoint's name.")
    return url


def _given_url(variables: Mapping[str, str], name: str, *, schemes: tuple[str, ...]) -> str:
    return _url(variables, name, schemes=schemes) if variables.get(name) else ""


def _folder(variables: Mapping[str, str], name: str, *, default: Path) -> Path:
    path = Path(variables.get(name) or default)
    if not path.is_absolute():
        raise ImproperlyConfigured(f"{name} is {str(path)!r}; it must be an absolute path.")
    return path


def _given_folder(variables: Mapping[str, str], name: str) -> Path | None:
    return _folder(variables, name, default=ROOT) if variables.get(name) else None


def _whole_number(
    variables: Mapping[str, str], name: str, *, default: int, maximum: int, minimum: int = 1
) -> int:
    value = variables.get(name) or str(default)
    if not (value.isascii() and value.isdigit() and minimum <= int(value) <= maximum):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be a number from {minimum} to {maximum}.")
    return int(value)
