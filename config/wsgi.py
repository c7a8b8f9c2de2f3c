"""The WSGI entry for the web server."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

from config import checks, database, heartbeat  # noqa: E402 - after Django's set-up, since it reads the database
from moderation import enqueue  # noqa: E402 - as above

database.limit_answers(seconds=database.WEB_ANSWER_SECONDS)
checks.refuse_demo_accounts()
gathering = enqueue.in_background()
heartbeat.start(["web"], is_working=lambda: True)
