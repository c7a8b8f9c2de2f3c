"""Django set up for measurements of what the product computes without asking a server. Import it first."""

from __future__ import annotations

import os

import django
from django.apps import apps

_NOBODY = "127.0.0.1:1"

if not apps.ready:  # in a test run they are
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("SPAMDESK_MODE", "test")
    os.environ.setdefault("DATABASE_URL", f"postgresql://nobody@{_NOBODY}/nobody")
    os.environ.setdefault("CELERY_BROKER_URL", f"redis://{_NOBODY}/0")
    os.environ.setdefault("TRITON_URL", f"grpc://{_NOBODY}")
    django.setup()
