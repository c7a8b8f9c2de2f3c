"""`python -m training <command>`: the offline commands, one subparser each."""

import argparse
import importlib
import sys
from collections.abc import Sequence

# command → module with add_arguments(parser) and main(arguments); imported only when asked for, because each
# brings its own heavy libraries.
COMMANDS = {
    "content": ("training.train_content", "fine-tune the content model on labelled texts"),
    "unseen": ("training.unseen", "what the content model makes of sources, or of folds, that it never saw"),
    "weights": ("training.served_weights", "a release's trained weights as safetensors"),
    "export": ("training.export_onnx", "turn a trained content model into Triton's repository"),
    "image": ("training.image.command", "the image model: ResNet50 as Triton's repository"),
    "urls": ("training.train_urls", "fit the URL model on labelled URLs, split by domain"),
    "journeys": ("training.train_journeys", "fit the journey model on labelled records"),
    "heads": ("training.train_heads", "give a release a head for each platform, from its decisions"),
    "topics": ("training.export_topics", "a model of topics in words for Triton's repository"),
    "variants": ("training.variants", "Triton's repository for CPU, ONNX Runtime on GPU, TensorRT"),
    "tensorrt": ("training.build_tensorrt", "build the TensorRT plan, on the GPU it will run on"),
    "next-release": ("training.next_release", "from decisions to a judged candidate, step by step"),
    "evaluate": ("training.evaluate_releases", "compare a release with the live one"),
    "promise": ("training.measure_promise", "what a release promises of real texts: is it kept?"),
    "evidence": ("training.train_evidence", "what pages, pictures and captions add to a score"),
    "ensemble": ("training.train_ensemble", "fit sub-models and main tree on records"),
}


def main(arguments: Sequence[str]) -> None:
    """Dispatch to the command named first; the rest is the command's own."""
    summary = "\n".join(f"  {name:12} {help_line}" for name, (_, help_line) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="python -m training",
        description=f"commands:\n{summary}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS)
    command = parser.parse_args(arguments[:1]).command

    module = importlib.import_module(COMMANDS[command][0])
    subparser = argparse.ArgumentParser(prog=f"python -m training {command}")
    module.add_arguments(subparser)
    module.main(subparser.parse_args(arguments[1:]))


if __name__ == "__main__":
    main(sys.argv[1:])
