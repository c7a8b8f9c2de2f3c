# The application: web, workers and beat are this one image with different commands.
# docker build -f deploy/containers/app.Dockerfile -t spamdesk .
FROM python:3.12-slim-bookworm AS build
WORKDIR /app
COPY requirements/runtime.txt requirements/runtime.txt
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt

FROM python:3.12-slim-bookworm
# pg_dump and pg_restore must not be older than the server; Debian's own are.
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-common ca-certificates \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && apt-get install -y --no-install-recommends postgresql-client-18 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin spamdesk \
    && install -d -o spamdesk /var/lib/spamdesk /promoted /promoted/models
WORKDIR /app
COPY --from=build /venv /venv
COPY manage.py ./
COPY config config
COPY moderation moderation
COPY scoring scoring
COPY static static
COPY templates templates
COPY locale locale
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    SPAMDESK_MODE=production SPAMDESK_STATE_DIR=/var/lib/spamdesk
USER spamdesk
EXPOSE 8000
CMD ["python", "-m", "config.server", "--host=0.0.0.0", "--port=8000", "--processes=2"]
