# Triton for machines without a card: its real server from NVIDIA's wheel, some 15 GB smaller than NVIDIA's image.
# This version (2.51) has known holes (docs/security.md): only the application may reach it.
# docker build -f deploy/containers/triton-cpu.Dockerfile -t spamdesk-triton:0.1.0 .
ARG PYTHON_IMAGE=python:3.12-slim-bookworm
FROM ${PYTHON_IMAGE}
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl && rm -rf /var/lib/apt/lists/*
COPY requirements/triton.txt requirements/triton.txt
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements/triton.txt
# The wheel keeps server, backend and the stub of this Python in three places, none of which the server searches.
RUN set -eu; \
    wheel=$(/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/pytriton/tritonserver; \
    stub=$wheel/python_backend_stubs/$(/venv/bin/python -c 'import sysconfig; print(sysconfig.get_python_version())'); \
    install -d /opt/tritonserver/backends/python; \
    ln -s $wheel/bin/tritonserver /usr/local/bin/tritonserver; \
    ln -s $wheel/caches /opt/tritonserver/caches; \
    ln -s $wheel/backends/python/* $stub/triton_python_backend_stub /opt/tritonserver/backends/python/; \
    useradd --system --uid 1000 --home-dir /nonexistent --shell /usr/sbin/nologin triton-server; \
    install -d -o 10001 /promoted /promoted/models
COPY triton_repo /models
USER triton-server
# The stub finds its Python by PATH and the Python's library by the loader's path.
ENV PATH=/venv/bin:$PATH LD_LIBRARY_PATH=/usr/local/lib TOKENIZERS_PARALLELISM=false PYTHONDONTWRITEBYTECODE=1
CMD ["tritonserver", "--model-repository=/models", "--model-repository=/promoted/models", \
     "--backend-directory=/opt/tritonserver/backends", "--cache-directory=/opt/tritonserver/caches", \
     "--model-control-mode=explicit", "--load-model=content", "--load-model=topics", "--exit-on-error=false"]
