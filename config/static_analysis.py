"""Settings for the type checker, which runs where no server is: any addresses do."""

import os

os.environ.update(
    SPAMDESK_MODE="test",
    DATABASE_URL="postgresql://nobody@localhost/none",
    CELERY_BROKER_URL="redis://localhost",
    TRITON_URL="grpc://localhost:1",
)

from config.settings import *  # noqa: F403 - the variables must stand before the settings are read
