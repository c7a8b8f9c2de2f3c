"""Build a plan in the Python that has TensorRT, through the product's own builder, and say how long it took.

python -m bench._gpu.build ONNX PLAN --tokens 16
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from scoring.training import build_tensorrt
from scoring.training.build_tensorrt import Network, Profile


def main() -> None:
    """Write the plan; print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnx", type=Path)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--tokens", type=int, required=True)
    options = parser.parse_args()
    network, profile = wanted(options.tokens)
    begun = time.monotonic()
    version = build_tensorrt.write_plan(network, onnx=options.onnx, plan=options.plan, profile=profile)
    print(json.dumps({"tensorrt": version, "seconds": round(time.monotonic() - begun, 1)}))


def wanted(tokens: int) -> tuple[Network, Profile]:
    """Return what the product builds, but for texts of so many tokens."""
    texts = build_tensorrt.TEXTS
    return Network(name=texts.name, inputs=texts.inputs, row=(tokens,)), Profile()


if __name__ == "__main__":
    main()
