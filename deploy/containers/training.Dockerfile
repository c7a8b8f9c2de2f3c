# The learning worker: the application with what training needs. Build the application's image first.
# docker build -f deploy/containers/training.Dockerfile -t spamdesk-training:0.1.0 .
ARG SPAMDESK_IMAGE=spamdesk:0.1.0
FROM ${SPAMDESK_IMAGE}
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
USER root
COPY requirements/training.txt requirements/torch.txt requirements/
RUN /venv/bin/pip install --no-cache-dir -r requirements/torch.txt --index-url ${TORCH_INDEX} \
    && /venv/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements/training.txt
COPY training training
COPY triton_image triton_image
USER spamdesk
