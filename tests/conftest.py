"""Fixtures of all tests that need Django: of all but a run of tests/scoring alone (deploy/local/check.py)."""

import os

if "DJANGO_SETTINGS_MODULE" in os.environ:
    from tests.django_fixtures import (  # noqa: F401 - fixtures, which precede those of pytest-django here alone
        broker,
        celery_worker_process,
        django_db_setup,
        empty_server,
        no_outage,
        own_language,
        patience_with_wrong_keys,
        postgres,
        quick_settings,
        remembered,
        triton,
    )
    from tests.moderation.conftest import (  # noqa: F401 - the rows that most tests begin with
        at,
        evidence_store,
        fake_scorer,
        fake_topics,
        incoming,
        later,
        lead,
        moderator,
        open_case,
        open_cases,
        other_moderator,
        platform,
        post,
    )
