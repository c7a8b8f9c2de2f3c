"""The environment is read typed, and every refusal is one line that names the variable."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import DEMO_SECRET_KEY, ROOT, Environment, Mode

ADDRESSES = {
    "DATABASE_URL": "postgresql://desk:secret@db.example:5432/desk",
    "CELERY_BROKER_URL": "redis://:secret@broker.example:6379/0",
    "TRITON_URL": "grpc://triton.example:8001",
}
PRODUCTION = {
    **ADDRESSES,
    "SPAMDESK_MODE": "production",
    "SPAMDESK_SECRET_KEY": "k" * 50,
    "SPAMDESK_ALLOWED_HOSTS": "desk.example, spam.example",
}

_OIDC = '{"issuer": "https://id.example", "client_id": "a", "client_secret": "b", "groups": {"c": "lead"}}'


class TestEnvironment:
    def test_defaults_to_a_demo_on_loopback(self) -> None:
        environment = Environment(ADDRESSES)

        assert environment.mode is Mode.DEMO
        assert environment.allowed_hosts == ("localhost", "127.0.0.1", "[::1]")
        assert environment.state_dir == ROOT / ".state"

    @pytest.mark.parametrize(
        ("variables", "asked"),
        [
            (ADDRESSES, "off"),
            (PRODUCTION, "off"),
            (PRODUCTION | {"SPAMDESK_RDAP_URL": "iana"}, "iana"),
            (ADDRESSES | {"SPAMDESK_RDAP_URL": "http://rdap.example/"}, "http://rdap.example/"),
        ],
    )
    def test_asks_registries_only_when_told(self, variables: dict[str, str], asked: str) -> None:
        assert Environment(variables).rdap_url == asked

    def test_refuses_a_collector_without_the_packages_that_send_to_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("importlib.metadata.Distribution.discover", lambda **_: [])

        with pytest.raises(ImproperlyConfigured, match=r"install requirements/tracing\.txt"):
            Environment(ADDRESSES | {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"})

    def test_takes_a_complete_production_environment(self) -> None:
        environment = Environment(PRODUCTION | {"SPAMDESK_PROXIES": "2"})

        assert environment.mode is Mode.PRODUCTION
        assert environment.allowed_hosts == ("desk.example", "spam.example")
        assert environment.proxies == 2

    @pytest.mark.parametrize(
        ("url", "mail"),
        [
            ("", ("", 25, False, False, "", "", "")),
            ("smtp://mx?from=a@b.c", ("mx", 25, False, False, "", "", "a@b.c")),
            ("smtp+ssl://mx?from=a@b.c", ("mx", 465, False, True, "", "", "a@b.c")),
            ("smtp+tls://a%40b:p%3Aw@mx:26?from=a@b.c", ("mx", 26, True, False, "a@b", "p:w", "a@b.c")),
        ],
    )
    def test_reads_the_mail_server(self, url: str, mail: tuple[object, ...]) -> None:
        assert Environment(ADDRESSES | {"SPAMDESK_MAIL_URL": url}).mail == mail

    @pytest.mark.parametrize(
        "address", ["s3://a-bucket", "s3://a-bucket/x/y", "s3://a-bucket/x?endpoint=https://s3.example:9000"]
    )
    def test_takes_a_bucket_for_pictures(self, address: str) -> None:
        assert Environment(ADDRESSES | {"SPAMDESK_EVIDENCE_STORE": address}).evidence_store == address

    @pytest.mark.parametrize(
        ("variable", "value"),
        [
            ("SPAMDESK_MODE", "staging"),
            ("SPAMDESK_AKISMET_HOST", "https://akismet.example"),
            ("SPAMDESK_AKISMET_HOST", "akismet.example:8000"),
            ("SPAMDESK_AKISMET_HOST", ".akismet.example"),
            ("DATABASE_URL", ""),
            ("DATABASE_URL", "mysql://db.example/desk"),
            ("CELERY_BROKER_URL", "amqp://broker.example"),
            ("TRITON_URL", "triton.example:8001"),
            ("TRITON_URL", "sagemaker://an_endpoint"),
            ("TRITON_URL", "https://triton.example:8000"),
            ("TRITON_URL", "grpc://triton.example"),
            ("TRITON_URL", "grpc://key:secret@triton.example:8001"),
            ("SPAMDESK_EVIDENCE_STORE", "https://bucket.example"),
            ("SPAMDESK_EVIDENCE_STORE", "s3://Bucket_1"),
            ("SPAMDESK_EVIDENCE_STORE", "s3://bucket/a b"),
            ("SPAMDESK_EVIDENCE_STORE", "s3://bucket?endpoint=ftp://s3.example"),
            ("SPAMDESK_EVIDENCE_STORE", "s3://bucket?endpoint=https://key:secret@s3.example"),
            ("SPAMDESK_RDAP_URL", "rdap.example"),
            ("SPAMDESK_OIDC", "https://id.example"),
            ("SPAMDESK_OIDC", '{"issuer": "https://id.example"}'),
            ("SPAMDESK_OIDC", _OIDC.replace('"lead"', '"boss"')),
            ("SPAMDESK_OIDC", _OIDC.replace("https", "ftp")),
            ("SPAMDESK_MAIL_URL", "mail.example"),
            ("SPAMDESK_MAIL_URL", "smtp://mail.example"),
            ("SPAMDESK_MAIL_URL", "smtp://mail.example:x?from=desk@mail.example"),
            ("SPAMDESK_MAIL_URL", "smtp://mail.example?from=desk%0A@mail.example"),
            ("SPAMDESK_STATE_DIR", "relative/folder"),
            ("SPAMDESK_WEB_PORT", "65536"),
            ("SPAMDESK_PROXIES", "two"),
            ("SPAMDESK_PROXIES", "-1"),
            ("SPAMDESK_PROXIES", "\N{ARABIC-INDIC DIGIT FIVE}"),
        ],
    )
    def test_refuses_a_wrong_value_in_one_line_with_its_name(self, variable: str, value: str) -> None:
        with pytest.raises(ImproperlyConfigured) as refusal:
            Environment(ADDRESSES | {variable: value})

        assert str(refusal.value).startswith(variable)
        assert "\n" not in str(refusal.value)

    @pytest.mark.parametrize(
        ("variable", "value"),
        [
            ("SPAMDESK_SECRET_KEY", ""),
            ("SPAMDESK_SECRET_KEY", DEMO_SECRET_KEY),
            ("SPAMDESK_SECRET_KEY", "short"),
            ("SPAMDESK_ALLOWED_HOSTS", ""),
            ("SPAMDESK_ALLOWED_HOSTS", "desk.example,*"),
            ("SPAMDESK_OIDC", _OIDC.replace("https", "http")),
        ],
    )
    def test_refuses_in_production_what_a_demo_may_do(self, variable: str, value: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=f"^{variable}"):
            Environment(PRODUCTION | {variable: value})

    def test_never_repeats_a_password(self) -> None:
        with pytest.raises(ImproperlyConfigured) as refusal:
            Environment(ADDRESSES | {"DATABASE_URL": "mysql://desk:hunter2@db.example/desk"})

        assert "hunter2" not in str(refusal.value)


def test_manage_ends_in_one_line_when_the_settings_are_wrong(tmp_path: Path) -> None:
    variables = {"PATH": "/usr/bin:/bin", "SPAMDESK_STATE_DIR": str(tmp_path), "SPAMDESK_MODE": "production"}

    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.startswith("spamdesk: SPAMDESK_SECRET_KEY")
    assert done.stderr.count("\n") == 1
