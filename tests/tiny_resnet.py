"""A ResNet of few weights that was never trained, as Hugging Face's hub keeps one."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.libraries import later

torch, transformers = later("torch"), later("transformers")

RESIZE, CROP = 40, 32


def saved(folder: Path, *, labels: Sequence[str]) -> str:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        names = dict(enumerate(labels))
        sizes = transformers.ResNetConfig(
            embedding_size=8, hidden_sizes=[16, 32], depths=[1, 1], id2label=names
        )
        transformers.ResNetForImageClassification(sizes).save_pretrained(folder)
    steps = {"size": {"shortest_edge": CROP}, "crop_pct": CROP / RESIZE, "resample": 3}
    steps |= {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
    (folder / "preprocessor_config.json").write_text(json.dumps(steps), encoding="utf-8")
    return str(folder)
