# Triton with what our Python models import. The base is NVIDIA's image; choose the tag that fits your driver, none
# before June 2026: CVE-2025-23310, -23311, -23319, -23320, -23334, -33201, CVE-2026-24206 to -24209.
# docker build -f deploy/containers/triton.Dockerfile -t spamdesk-triton:0.1.0 .
ARG TRITON_IMAGE=nvcr.io/nvidia/tritonserver:26.09-py3
FROM ${TRITON_IMAGE}
RUN pip install --no-cache-dir "tokenizers~=0.23" "openvino>=2025.3" "pillow~=13.0"
COPY triton_repo /models
COPY deploy/__init__.py deploy/serve_plans.py /usr/local/lib/spamdesk/deploy/
# A new volume takes owner and folders from the image that mounts it first: they are the application's in both.
RUN install -d -o 10001 /promoted /promoted/models
RUN install -d -o triton-server /plans
USER triton-server
# At its first start it builds the TensorRT plans that the repository describes, and keeps them in /plans.
ENV TOKENIZERS_PARALLELISM=false PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/usr/local/lib/spamdesk
CMD ["python3", "-m", "deploy.serve_plans", "--plans=/plans", "tritonserver", \
     "--model-repository=/models", "--model-repository=/promoted/models", \
     "--model-control-mode=explicit", "--load-model=content", "--load-model=topics", "--exit-on-error=false"]
