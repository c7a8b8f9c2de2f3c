"""A Triton behind an Amazon SageMaker endpoint, through the part of tritonclient's interface that we use.

SageMaker signs and forwards requests to `/invocations` of the one model of a production variant, whose name
is the model's, so no version can be asked for: it is read in the answer. Region and credentials come from
where boto3 looks for them.
"""

import re
from collections.abc import Sequence
from typing import Any

_BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="
_HEADER_SIZE = re.compile(re.escape(_BINARY) + r"(\d{1,9})")
# Transient errors: throttled, being scaled, loading its model, a full queue of Triton.
_TRANSIENT = {
    "InternalDependencyException",
    "ModelNotReadyException",
    "ServiceUnavailable",
    "ServiceUnavailableException",
    "ThrottlingException",
}
_UNAVAILABLE = "503"


class SageMakerEndpoint:
    """Inference on one endpoint, with the exceptions of tritonclient's HTTP client."""

    def __init__(self, name: str, *, timeout_seconds: float) -> None:
        """Connect to nothing yet; `timeout_seconds` limits connecting and each wait for bytes."""
        self._name, self._timeout_seconds = name, timeout_seconds
        self._client: Any = None

    def infer(
        self,
        model: str,
        inputs: Sequence[Any],
        *,
        outputs: Sequence[Any],
        model_version: str,
        priority: int,
        timeout: int,
        **_: Any,
    ) -> Any:
        """Return tritonclient's InferResult.

        Raises InferenceServerException for what SageMaker, Triton or boto3 refuses and for another model or
        version than asked for, OSError without an answer, ValueError for an unreadable one.
        """
        from tritonclient.http import InferenceServerClient

        body, header_size = InferenceServerClient.generate_request_body(
            list(inputs), outputs=list(outputs), priority=priority, timeout=timeout
        )
        reply, content_type = self._invoke(bytes(body), f"{_BINARY}{header_size or len(body)}", model=model)
        size = _HEADER_SIZE.fullmatch(content_type)
        if size is None:
            raise ValueError(f"the endpoint answered {content_type[:80]!r}, not Triton's tensors")
        answer = InferenceServerClient.parse_response_body(reply, header_length=int(size[1]))
        self._check(answer.get_response(), model=model, version=model_version)
        return answer

    def load_model(self, name: str, **_: Any) -> None:
        """Do nothing: `deploy.sagemaker update` adds models; the first question tells whether it did."""

    unload_model = load_model

    def is_model_ready(self, name: str) -> bool:  # noqa: ARG002 - the interface's
        """Return True: nothing has to be loaded, and answers name their model."""
        return True

    def _invoke(self, body: bytes, content_type: str, *, model: str) -> tuple[bytes, str]:
        from botocore import exceptions

        variant = model.replace("_", "-")  # which no name of a variant may hold
        way_out = f"does it have {variant}? `python -m deploy.sagemaker update {self._name}` adds it"
        try:
            answer = self._connected().invoke_endpoint(
                EndpointName=self._name, ContentType=content_type, Body=body, TargetVariant=variant
            )
            return answer["Body"].read(), str(answer.get("ContentType", ""))
        except exceptions.ClientError as refusal:
            raise _of_aws(refusal.response, way_out=way_out) from refusal
        except (exceptions.ReadTimeoutError, exceptions.ConnectTimeoutError) as late:
            raise TimeoutError(str(late)) from late
        except exceptions.HTTPClientError as broken:
            raise ConnectionError(str(broken)) from broken
        except exceptions.BotoCoreError as wrong:  # no region, no credentials
            raise _refused(str(wrong), status=type(wrong).__name__) from wrong

    def _connected(self) -> Any:
        if self._client is None:
            import boto3
            from botocore.config import Config

            limits = Config(
                connect_timeout=self._timeout_seconds,
                read_timeout=self._timeout_seconds,
                retries={"total_max_attempts": 1},  # the content client retries, within its limit
            )
            # A session of its own: boto3's shared one is not safe across threads.
            self._client = boto3.session.Session().client("sagemaker-runtime", config=limits)
        return self._client

    def _check(self, answer: dict[str, Any], *, model: str, version: str) -> None:
        identity = (str(answer.get("model_name")), str(answer.get("model_version")))
        if identity != (model, version):
            raise _refused(
                f"the endpoint {self._name} serves {identity[0]} version {identity[1]}, "
                f"the release names {model} version {version}"
            )


def _of_aws(response: dict[str, Any], *, way_out: str) -> Exception:
    error = response.get("Error", {})
    code, text = str(error.get("Code", "")), str(error.get("Message", ""))
    text += f" ({way_out})" if code == "ValidationError" else ""
    original = response.get("OriginalStatusCode")
    http = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    is_transient = code in _TRANSIENT or 503 in (original, http)
    return _refused(f"{code}: {text}", status=_UNAVAILABLE if is_transient else str(original or http or code))


def _refused(message: str, *, status: str = "400") -> Exception:
    from tritonclient.utils import InferenceServerException

    refusal: Exception = InferenceServerException(msg=message, status=status)
    return refusal
