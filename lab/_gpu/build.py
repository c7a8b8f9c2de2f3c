"""Build a plan in the Python that has TensorRT, through the product's own builder, and say how long it took.

python -m lab._gpu.build GRAPH PLAN --tokens 16
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from training import build_tensorrt
from training.plan_recipe import TEXTS, Network, Profile


def main() -> None:
    """Write the plan; print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", type=Path)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--tokens", type=int, required=True)
    options = parser.parse_args()
    network = Network(name=TEXTS.name, inputs=TEXTS.inputs, row=(options.tokens,))
    start = time.monotonic()
    version = build_tensorrt.write_plan(network, graph=options.graph, plan=options.plan, profile=Profile())
    print(json.dumps({"tensorrt": version, "seconds": round(time.monotonic() - start, 1)}))


if __name__ == "__main__":
    main()
