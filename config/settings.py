"""Django's settings, from the environment alone; `environment` checks it and refuses in one line.

Sections: the installation, the application, web, data, jobs, scoring, logs.
"""

from importlib.util import find_spec
from typing import Any

from config import database, evidence, logs, openapi, schedule
from config.environment import ROOT, Environment, Mode

ENVIRONMENT = Environment()
MODE = ENVIRONMENT.mode
IS_PRODUCTION = MODE is Mode.PRODUCTION
IS_DEMO = MODE is Mode.DEMO
HAS_SIMULATION = not IS_PRODUCTION and find_spec("simulation") is not None  # images leave it out

# -- The installation
SECRET_KEY = ENVIRONMENT.secret_key
DEBUG = False
AKISMET_HOST = ENVIRONMENT.akismet_host
ALLOWED_HOSTS = [*ENVIRONMENT.allowed_hosts, *([AKISMET_HOST] if AKISMET_HOST else [])]
STATE_DIR = ENVIRONMENT.state_dir
WEB_PORT = ENVIRONMENT.web_port

# -- The application
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "moderation",
    "integrations",
    *(["simulation"] if HAS_SIMULATION else []),
]
MIDDLEWARE = [
    "integrations.akismet.host_keys.host_keys",  # first: no other may see a key in a host name
    "moderation.api.middleware.request_ids",
    "moderation.api.middleware.problems_below_api",
    "moderation.api.middleware.plain_http_refused",
    "django.middleware.security.SecurityMiddleware",
    "moderation.web.access.unkept",
    "moderation.web.middleware.compression.DeskCompression",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "moderation.web.accounts.language.DeskLocaleMiddleware",
    "moderation.web.accounts.local_time.local_time",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "moderation.web.middleware.session_use.SessionUseMiddleware",
    "moderation.web.middleware.failure.wrong_methods_told",
    "moderation.web.middleware.failure.OutageMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "moderation.web.accounts.shortcuts.context",
                "moderation.web.provenance.context",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [ROOT / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = "UTC"
USE_TZ = True

# -- Accounts
AUTH_USER_MODEL = "moderation.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"
AXES_FAILURE_LIMIT = 1  # the handler's answer while an attempt has to wait; the delays are in lockout.py
AXES_COOLOFF_TIME = 24  # hours after which failures are forgotten
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_HANDLER = "moderation.web.accounts.lockout.Handler"
AXES_CLIENT_IP_CALLABLE = "moderation.web.accounts.lockout.counted_address"
AXES_LOCKOUT_CALLABLE = "moderation.web.accounts.lockout.answer"
PROXIES = ENVIRONMENT.proxies
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # attempts during a delay must not extend it
ACCOUNT_ADAPTER = "moderation.web.accounts.account.Accounts"
MFA_ADAPTER = "moderation.web.accounts.second_factor.Factors"
ACCOUNT_LOGIN_TIMEOUT = 300  # seconds from the password to the second factor
ACCOUNT_REAUTHENTICATION_METHODS = ["password"]
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False  # each process would count alone; lockout.py delays
MFA_FORMS = {"authenticate": "moderation.web.accounts.second_factor.CodeForm"}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
OIDC = ENVIRONMENT.oidc  # the organisation's provider; empty if there is none
SOCIALACCOUNT_ADAPTER = "moderation.web.accounts.provider.Provider"
SOCIALACCOUNT_LOGIN_ON_GET = True  # a form may only lead to this host, by the content security policy
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": OIDC.get("apps", [])}}
MFA_TOTP_TOLERANCE = 1  # periods of 30 seconds that a phone's clock may be off

# -- Web
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    # Posts are hostile: only our own files may run, load or frame.
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    },
}
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = IS_PRODUCTION
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
# A browser takes a __Host- cookie only from this very host over TLS: no other host can plant one.
SESSION_COOKIE_NAME = "__Host-sessionid" if IS_PRODUCTION else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if IS_PRODUCTION else "csrftoken"
DEVICE_COOKIE_NAME = "__Host-device" if IS_PRODUCTION else "device"
LANGUAGE_COOKIE_AGE = 365 * 86_400
SECURE_SSL_REDIRECT = IS_PRODUCTION
SECURE_REDIRECT_EXEMPT = ["^readyz$", "^metrics$"]  # probes come from inside, without TLS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_PRODUCTION else None
SECURE_HSTS_SECONDS = 31_536_000 if IS_PRODUCTION else 0
# Subdomains may belong to others: a proxy extends the header where they do not.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # they would have subdomains and preloading on
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 12 * 1024 * 1024  # a bulk request holds 10 MB

STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_DIRS = [ROOT / "static"]
_STATIC_STORAGE = {
    # Tests render pages without collecting files first.
    Mode.TEST: "django.contrib.staticfiles.storage.StaticFilesStorage",
    Mode.DEMO: "config.static_files.DemoStorage",
    Mode.PRODUCTION: "config.static_files.ProductionStorage",
}[MODE]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC_STORAGE},
}
WHITENOISE_USE_FINDERS = MODE is Mode.TEST or DEBUG

# -- The platform's API
SCORE_NOW_PER_MINUTE, SCORE_NOW_BURST = 6_000, 200  # each holds a web thread while it is scored
CALLS_PER_MINUTE, CALLS_BURST = 60_000, 3_000
# By client network, before the database is queried; a key valid before is never throttled.
WRONG_KEYS_PER_MINUTE, WRONG_KEYS_BURST = 60, 60
COMPLAINTS_PER_REPORTER_PER_MINUTE, COMPLAINTS_PER_REPORTER_BURST = 120, 2_000
SCORE_NOW_BUDGET_MS, SCORE_NOW_CONTENT_MS = 300, 180  # the latter leaves time for everything but content
REST_FRAMEWORK = {
    "EXCEPTION_HANDLER": "moderation.api.errors.handle",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "LIST_SERIALIZER_ERRORS_AS_DICT": True,
    "UNAUTHENTICATED_USER": None,
}
VERSION = "0.1.0"  # pyproject.toml's, which is not where the product is installed

SPECTACULAR_SETTINGS = openapi.SETTINGS

# -- Data
DATABASES = {"default": database.settings_of(ENVIRONMENT.database_url)}

# -- Tasks: PostgreSQL is the source of truth, the broker only a hint; a sweep recovers lost messages
CELERY_BROKER_URL = ENVIRONMENT.broker_url
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Longer than any task and any countdown, else the broker redelivers a running task.
    "visibility_timeout": 60,
    # By default unacknowledged messages are restored every 100 s only. Each worker looks, at its own times.
    "unacked_restore_interval": 15,
    "unacked_restore_throttle": 1,
    "queue_order_strategy": "priority",
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "socket_keepalive": True,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.1,
    "interval_max": 0.1,
}
# Celery would close the pool after every task; config/celery.py gives the connection back to it instead.
CELERY_DB_REUSE_MAX = 1_000_000
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_CREATE_MISSING_QUEUES = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SOFT_TIME_LIMIT = 45
CELERY_TASK_TIME_LIMIT = 55
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CONSUMER = "config.worker_alive:Consumer"
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE, SWEEP_SECONDS = schedule.BEAT, schedule.SECONDS
WORKERS = schedule.WORKERS
CELERY_BEAT_SCHEDULER = "config.beat:SteadyScheduler"

# -- Scoring
TRITON_URL, TRITON_TIMEOUT_SECONDS = ENVIRONMENT.triton_url, 5.0
TRITON_REPOSITORY = ROOT / "triton_repo"
TRITON_MODELS_DIR = ENVIRONMENT.triton_models_dir
TRITON_ADMIN_KEY, TRITON_ADMIN_SOCKET = ENVIRONMENT.triton_admin_key, ENVIRONMENT.triton_admin_socket
METRICS_TOKEN, RELEASE_DIR = ENVIRONMENT.metrics_token, ENVIRONMENT.release_dir
RELEASES_DIR = STATE_DIR / "releases"

# -- Calls to the outside
EXPORT_DIR, LEARNING_DIR, EVIDENCE_DIR = (STATE_DIR / name for name in ("exports", "learning", "evidence"))
ERASURE_JOURNAL, EVIDENCE_STORE = ENVIRONMENT.erasure_journal, ENVIRONMENT.evidence_store
POSTGRES_PROGRAMS, SPEECH_MODEL = ENVIRONMENT.postgres_programs, ENVIRONMENT.speech_model
READER_SOCKET, TRACES_COLLECTOR = ENVIRONMENT.reader_socket, ENVIRONMENT.traces_collector
EGRESS_PRIVATE_HOSTS, SIMULATED_WEB_PORT = ENVIRONMENT.egress_private_hosts, ENVIRONMENT.simulated_web_port
INTEGRATION_CALLER = "integrations.acting.Actor"
INTEGRATION_FORGET = "integrations.intake.forget"
# What connections to pages go through: outside production, names of the simulation may lead to this machine.
PAGE_NETWORK = "simulation.network.around" if HAS_SIMULATION else ""
# Reputation providers; one without its key is never asked.
WEB_RISK_KEY, WEB_RISK_URL = ENVIRONMENT.web_risk_key, "https://webrisk.googleapis.com"
WOT_KEY, WOT_USER, WOT_URL = ENVIRONMENT.wot_key, ENVIRONMENT.wot_user, "https://scorecard.api.mywot.com"
RDAP_URL, RDAP_LIST = ENVIRONMENT.rdap_url, STATE_DIR / "rdap" / "dns.json"  # "iana", "off" or an address
EMAIL_HOST, EMAIL_PORT, EMAIL_USE_TLS, EMAIL_USE_SSL = ENVIRONMENT.mail[:4]  # no host: no mail
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, DEFAULT_FROM_EMAIL, EMAIL_TIMEOUT = *ENVIRONMENT.mail[4:], 10
EVIDENCE_LIMITS = evidence.Limits()
EVIDENCE_BROWSER_AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36"
)
ENCRYPTION_KEYS = ENVIRONMENT.encryption_keys  # signing secrets at rest; operations/infrastructure/vault.py

# -- Logs: JSON lines, identifiers only; the text of a post never enters a log
LOGGING = logs.LOGGING
logs.configure()
