"""What Triton is compared with: TorchScript behind FastAPI and uvicorn, padded to 128 or to the batch.

One process and `async def`: a `def` endpoint was slower, since torch uses every core already.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from training import served_content, served_weights
from training.base_model import MAX_TOKENS


class Question(BaseModel):
    """The texts of one call."""

    texts: list[str]


def main() -> None:
    """Read the weights that a repository serves, and serve them on the loopback address."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--pad", choices=("128", "batch"), required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model, tokenizer = served_weights.load(options.repository, models=served_content.MODELS)
    tokens = tokenizer.backend_tokenizer
    tokens.enable_truncation(MAX_TOKENS)
    tokens.enable_padding(length=MAX_TOKENS if options.pad == "128" else None)
    app = _application(_script(model), tokens=tokens)
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="warning", timeout_keep_alive=600)


def _application(script: Any, *, tokens: Any) -> FastAPI:
    """Make the server: POST /predict {"texts": [...]} → {"logits": [[…, …], …]}."""
    app = FastAPI()

    @app.get("/ready")
    async def ready() -> dict[str, bool]:
        return {"ready": True}

    @app.post("/predict")
    async def predict(question: Question) -> dict[str, list[list[float]]]:
        encodings = tokens.encode_batch(question.texts)
        ids = torch.tensor([encoding.ids for encoding in encodings], dtype=torch.int32)
        mask = torch.tensor([encoding.attention_mask for encoding in encodings], dtype=torch.int32)
        with torch.inference_mode():
            return {"logits": script(ids, mask).tolist()}

    return app


def _script(model: torch.nn.Module) -> Any:
    """Trace and freeze as TorchScript: INT32 ids and mask [n, tokens] → logits [n, 2]."""

    class Logits(torch.nn.Module):  # type: ignore[misc]  # torch has no types here
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(ids, mask).logits
            return logits

    ids = torch.ones((2, 16), dtype=torch.int32)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what tracing might freeze; the peer is asked at other shapes
        return torch.jit.freeze(torch.jit.trace(Logits().eval(), (ids, torch.ones_like(ids))))


if __name__ == "__main__":
    main()
