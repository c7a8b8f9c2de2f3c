# Stands in for python:3.12-slim-bookworm where no image registry can be reached.
ARG SYSTEM
FROM ${SYSTEM}
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates libpython3-stdlib libpython3.11 libstdc++6 python-is-python3 python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
