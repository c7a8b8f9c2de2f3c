# The application: web, workers and beat are this one image with different commands.
# docker build -f deploy/containers/app.Dockerfile -t spamdesk:0.1.0 .
ARG PYTHON_IMAGE=python:3.12-slim-bookworm
FROM ${PYTHON_IMAGE} AS build
WORKDIR /app
# "runtime tracing" also has what sends traces, "runtime sagemaker" what speaks to S3 and SageMaker.
ARG REQUIREMENTS=runtime
COPY requirements requirements
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes $(printf ' -r requirements/%s.txt' ${REQUIREMENTS})

FROM ${PYTHON_IMAGE}
# pg_dump and pg_restore must not be older than the server; Debian's own mostly are.
ARG POSTGRESQL_CLIENT=postgresql-client-18
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-common ca-certificates \
    && (apt-cache show ${POSTGRESQL_CLIENT} > /dev/null 2>&1 || /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y) \
    && apt-get install -y --no-install-recommends ${POSTGRESQL_CLIENT} && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin spamdesk \
    && install -d -o 10002 /readers \
    && install -d -o spamdesk /var/lib/spamdesk /promoted /promoted/models
WORKDIR /app
COPY --from=build /venv /venv
COPY manage.py ./
# manage.py asks it where `make run` keeps its servers.
COPY deploy/__init__.py deploy/
COPY deploy/local deploy/local
COPY config config
COPY integrations integrations
COPY moderation moderation
COPY scoring scoring
COPY static static
COPY templates templates
COPY locale locale
# What promoted models are installed from, and probed with.
COPY triton_repo triton_repo
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    SPAMDESK_MODE=production SPAMDESK_STATE_DIR=/var/lib/spamdesk
USER spamdesk
EXPOSE 8000
CMD ["python", "-m", "config.server", "--host=0.0.0.0", "--port=8000", "--processes=2"]
