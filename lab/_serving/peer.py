"""What Triton is compared with: TorchScript behind FastAPI and uvicorn, padded to 128 or to the batch.

One process and `async def`: a `def` endpoint was slower, since torch uses every core already.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from tokenizers import Tokenizer

MAX_TOKENS = 128


class Question(BaseModel):
    """The texts of one call."""

    texts: list[str]


def application(*, model: Path, tokenizer: Path, pad: str, device: str = "cpu") -> FastAPI:
    """Make the server: POST /predict {"texts": [...]} → {"logits": [[…, …], …]}."""
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    script: Any = torch.jit.load(str(model), map_location=device)
    tokens = Tokenizer.from_file(str(tokenizer))
    tokens.enable_truncation(MAX_TOKENS)
    tokens.enable_padding(length=MAX_TOKENS if pad == "128" else None)
    app = FastAPI()

    @app.get("/ready")
    async def ready() -> dict[str, bool]:
        return {"ready": True}

    @app.post("/predict")
    async def predict(question: Question) -> dict[str, list[list[float]]]:
        encodings = tokens.encode_batch(question.texts)
        ids = torch.tensor([encoding.ids for encoding in encodings], dtype=torch.int32).to(device)
        mask = torch.tensor([encoding.attention_mask for encoding in encodings], dtype=torch.int32).to(device)
        with torch.inference_mode():
            return {"logits": script(ids, mask).tolist()}

    return app


def main() -> None:
    """Serve on the loopback address."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--pad", choices=("128", "batch"), required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    app = application(
        model=options.model, tokenizer=options.tokenizer, pad=options.pad, device=options.device
    )
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="warning", timeout_keep_alive=600)


if __name__ == "__main__":
    main()
