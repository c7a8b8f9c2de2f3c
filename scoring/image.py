"""Client of the image model: pictures in, spam probabilities out, through Triton (scoring/triton_calls.py).

Decoding, scaling and inference are on the server (triton_image/), which takes a file in base64, too: so one
client sends texts and pictures.
"""

import base64
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.triton_calls import FIRST, TritonCalls, Unavailable

MAX_BATCH = 8
"""Pictures are larger than texts: each becomes 600 kB of pixels between the server's steps."""


class ImageModel:
    """A pinned version of the image model on a Triton server.

    Share one per process. Safe across threads and forks: the first call of each makes its own connection.
    """

    def __init__(self, *, url: str, version: str, model: str, timeout_seconds: float) -> None:
        """Take `url` as grpc://host:port, http://host:port or sagemaker://endpoint; connect to nothing yet.

        `timeout_seconds` limits each call of at most MAX_BATCH pictures, retries included.
        """
        self.model, self.version = model, version
        self._calls = TritonCalls(
            url=url,
            model=model,
            version=version,
            priority=FIRST,
            timeout_seconds=timeout_seconds,
            most_rows=MAX_BATCH,
        )

    def probabilities(self, pictures: Sequence[bytes]) -> NDArray[np.float64]:
        """Answer P(spam) of each picture, a file's bytes, in order: float64 (n_pictures,), in [0, 1].

        Raises Unavailable, also for a picture that the server cannot decode.
        """
        answers = [
            self._calls.infer(
                {"PICTURE": [[base64.b64encode(picture).decode("ascii")] for picture in part]},
                outputs=("probabilities",),
                check=partial(_spam, rows=len(part)),
            )
            for part in self._calls.batches(pictures)
        ]
        return np.concatenate(answers) if answers else np.empty(0)


def _spam(answers: Mapping[str, Any], *, rows: int) -> NDArray[np.float64]:
    """Return the second of two classes."""
    answer = answers["probabilities"]
    if not isinstance(answer, np.ndarray) or answer.shape != (rows, 2):
        raise Unavailable(
            f"expected probabilities of shape ({rows}, 2), got {getattr(answer, 'shape', None)}"
        )
    spam = answer[:, 1].astype(np.float64)
    # Written so that NaN is refused too.
    if not ((spam >= 0.0) & (spam <= 1.0)).all():
        raise Unavailable("an answer is no probability")
    return spam
