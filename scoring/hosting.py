"""Content models of releases on Triton: install one beside the live one, load, probe and unload it.

A model is installed under a name made from the SHA-256 of its files, so that two releases with one content
model share it, and no other model can have its name. This module does not know which release is live.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scoring.content import ContentModel, Unavailable
from scoring.pins import ContentPin, Probe
from scoring.release import Corrupt, file_sha256, loading
from scoring.sagemaker import SageMakerEndpoint
from scoring.triton_calls import ENGINES
from scoring.triton_socket import TritonSocket

CONFIG = "config.pbtxt"
PROBE_TOLERANCE = 0.05
"""Largest difference to a pinned probability: another processor moves it by less, a wrong model by more."""

ORIGIN = "origin.json"
"""Beside a variant of a model: the pinned files that it was made `of`, and its own `files`."""
VARIANTS = dict(zip(ENGINES.values(), ("cpu", "onnxruntime-gpu", "tensorrt"), strict=True))
"""The variant of `python -m training variants` that each engine serves."""
_PLAN, _BUILDS_A_PLAN = "model.plan", ("model.onnx", "plan.json")
# Code and configuration belong to the serving machine and are not pinned; the probes check the answers.
_NOT_PINNED = (".py", ".pbtxt")
_ADMIN_SECONDS = 60.0


class Refused(Exception):
    """Triton did not load a model, as it says, or serves another variant than there is of these weights."""


class WrongAnswers(Exception):
    """A loaded model's answers differ from its release's probes."""


def served_name(pin: ContentPin) -> str:
    """Return the name under which Triton serves the pinned files. Raises Corrupt if none is pinned."""
    if not pin.digest:
        raise Corrupt(f"the release does not pin the files of its {pin.model} model: train it again")
    return f"{pin.model}_{pin.digest[:12]}"


def pinned_files(repository: Path, *, model: str, version: str) -> dict[str, str]:
    """Return the SHA-256 of a model's weights and vocabulary, by path in the repository.

    Raises Corrupt if a model or its version is not there.
    """
    return {
        file.relative_to(repository).as_posix(): file_sha256(file)
        for folder in _version_folders(repository, model=model, version=version).values()
        for file in sorted(_files(folder))
        if file.suffix not in _NOT_PINNED
    }


def install(pin: ContentPin, *, repository: Path, models: Path, variant: str = "") -> str:
    """Copy the pinned model and its steps into Triton's folder of installed models; return its served name.

    The repository's files are checked against the pin first, those of a variant against their origin. Each
    model's folder appears at once, complete; one that is there already stays, also if the repository lacks
    it. Raises Corrupt naming the missing or changed file, Refused if the repository's is not `variant`.
    """
    name = served_name(pin)
    try:
        folders = _version_folders(repository, model=pin.model, version=pin.version)
        _check(pin, repository=repository)
        _check_variant(repository / pin.model, wanted=variant, models=models)
    except (Corrupt, Refused):
        if (models / name).is_dir():  # which appears after its steps
            return name
        raise
    names = {step: name if step == pin.model else f"{step}_{pin.digest[:12]}" for step in folders}
    models.mkdir(parents=True, exist_ok=True)
    # Beside the folder, not in it: Triton treats every folder inside as a model.
    with tempfile.TemporaryDirectory(dir=models.parent, prefix=f".{models.name}-") as staging:
        for step, folder in folders.items():
            prepared = Path(staging) / names[step]
            # With its recipe, the next start of Triton would build a plan again that is there.
            recipe = _BUILDS_A_PLAN if (folder / _PLAN).is_file() else ()
            skipped = shutil.ignore_patterns("__pycache__", *recipe)
            shutil.copytree(folder, prepared / folder.name, ignore=skipped)
            (prepared / CONFIG).write_text(
                _renamed(repository / step / CONFIG, names=names), encoding="utf-8"
            )
            _put(prepared, models / names[step], aside=Path(staging) / f"old-{step}")
    return name


def check_installed(pin: ContentPin, *, models: Path, variant: str) -> None:
    """Raise Refused if the installed model is not `variant`, if that is known, Corrupt if none is there."""
    _check_variant(models / served_name(pin), wanted=variant, models=models)


class TritonAdmin:
    """Loads and unloads models under explicit control; `key` is for the server's restricted endpoints."""

    def __init__(self, *, url: str, key: str = "") -> None:
        """Take `url` as grpc://host:port, http://host:port, unix:///path or sagemaker://endpoint, which loads
        nothing; connect to nothing yet.
        """
        parts = urlsplit(url)
        self._client: Any
        self._headers: dict[str, str] = {}
        self._limit: dict[str, float] = {}
        if parts.scheme == "unix":
            self._client = TritonSocket(Path(parts.path), timeout_seconds=_ADMIN_SECONDS)
            return
        if parts.scheme == "sagemaker":
            self._client = SageMakerEndpoint(parts.netloc, timeout_seconds=_ADMIN_SECONDS)
            return
        if parts.scheme == "grpc":
            import tritonclient.grpc as protocol

            self._headers = {"triton-grpc-protocol-admin-key": key} if key else {}
            self._limit = {"client_timeout": _ADMIN_SECONDS}
        else:
            import tritonclient.http as protocol

            self._headers = {"admin-key": key} if key else {}
        self._client = protocol.InferenceServerClient(parts.netloc)

    def load(self, name: str) -> None:
        """Load an installed model and its steps, or load it anew if its files changed. Raises Refused."""
        self._do(self._client.load_model, name)

    def unload(self, name: str) -> None:
        """Unload a model and its steps; requests in flight are still answered. Raises Refused."""
        self._do(self._client.unload_model, name, unload_dependents=True)

    def is_ready(self, name: str) -> bool:
        """Return whether the server lists the model as ready; only an inference shows that it works."""
        from tritonclient.utils import InferenceServerException

        try:
            return bool(self._client.is_model_ready(name))
        except (InferenceServerException, OSError):
            return False

    def _do(self, act: Any, name: str, **options: Any) -> None:
        from tritonclient.utils import InferenceServerException

        try:
            act(name, headers=self._headers, **self._limit, **options)
        except (InferenceServerException, OSError) as wrong:
            raise Refused(f"{name}: {wrong}") from wrong


def probe(pin: ContentPin, *, content: ContentModel) -> None:
    """Compare a loaded model's answers with the probes; without any, ask only that it answers.

    Raises WrongAnswers.
    """
    # NaN: no difference to it is larger than the tolerance.
    probes = pin.probes or (Probe(text="Are you ready?", probability=float("nan")),)
    try:
        answers = content.probabilities([sample.text for sample in probes])
    except Unavailable as silent:
        raise WrongAnswers(f"{content.model} was loaded but does not answer: {silent}") from silent
    for sample, probability in zip(probes, answers.tolist(), strict=True):
        if abs(probability - sample.probability) > PROBE_TOLERANCE:
            raise WrongAnswers(
                f"{content.model} gives {sample.text[:40]!r} a probability of {probability:.3f},"
                f" its release says {sample.probability:.3f}"
            )


def _version_folders(repository: Path, *, model: str, version: str) -> dict[str, Path]:
    """Return the version folder of a model and of each of its steps, the steps first."""
    config = _config(repository / model / CONFIG)
    steps = {
        step.model_name: _version_folder(repository / step.model_name, version=int(step.model_version))
        for step in config.ensemble_scheduling.step
    }
    return {**steps, model: _version_folder(repository / model, version=int(version))}


def _version_folder(folder: Path, *, version: int) -> Path:
    """Return a model's folder of one version; -1 is the latest, as Triton reads it."""
    present = {int(path.name): path for path in folder.glob("*/") if re.fullmatch(r"\d+", path.name)}
    number = max(present, default=version) if version == -1 else version
    if number not in present:
        raise Corrupt(f"{folder}: has no version {'at all' if number == -1 else number}")
    return present[number]


def _config(path: Path) -> Any:
    from google.protobuf import text_format
    from tritonclient.grpc.model_config_pb2 import ModelConfig

    try:
        return text_format.Parse(path.read_text(encoding="utf-8"), ModelConfig())
    except OSError as missing:
        raise Corrupt(f"{path}: cannot be read: {missing.strerror}") from missing
    except (text_format.ParseError, ValueError) as wrong:
        raise Corrupt(f"{path}: not a model configuration: {wrong}") from wrong


def _renamed(path: Path, *, names: Mapping[str, str]) -> str:
    """Write a model's configuration under its new name, its steps under theirs."""
    from google.protobuf import text_format

    config = _config(path)
    config.name = names[config.name or path.parent.name]
    for step in config.ensemble_scheduling.step:
        step.model_name = names[step.model_name]
    return str(text_format.MessageToString(config))


def _check(pin: ContentPin, *, repository: Path) -> None:
    found = pinned_files(repository, model=pin.model, version=pin.version)
    expected, note = pin.files, repository / pin.model / ORIGIN
    if note.is_file():
        with loading(note):
            of, expected = (json.loads(note.read_text(encoding="utf-8"))[name] for name in ("of", "files"))
        if of != dict(pin.files):
            raise Corrupt(f"{repository}: was made of other weights than the release pins")
    for name, digest in expected.items():
        if name not in found:
            raise Corrupt(f"{repository / name}: pinned by the release but not there")
        if found[name] != digest:
            raise Corrupt(
                f"{repository / name}: SHA-256 is {found[name][:12]}…, the release pins {digest[:12]}…"
            )


def _check_variant(model: Path, *, wanted: str, models: Path) -> None:
    if not wanted:
        return
    network = model.parent / _config(model / CONFIG).ensemble_scheduling.step[-1].model_name
    config = _config(network / CONFIG)
    is_built = any(network.glob(f"*/{config.default_model_filename or '*'}"))
    found = VARIANTS.get(ENGINES.get(config.backend, ""), "") if is_built else "a plan's recipe"
    if wanted == found:
        return
    command = "tensorrt" if wanted == "tensorrt" else f"variants --variant {wanted}"
    raise Refused(
        f"Triton serves the variant {wanted} here, and of {model} there is {found}: try again after"
        f" `python -m training {command} --repository EXPORTED --out build --models {models}`"
    )


def _put(prepared: Path, place: Path, *, aside: Path) -> None:
    if place.exists():
        if _contents(place) == _contents(prepared):
            return
        # Aside first: rename() refuses a folder that is there and not empty.
        place.rename(aside)
    prepared.rename(place)


def _contents(folder: Path) -> dict[str, str]:
    return {file.relative_to(folder).as_posix(): file_sha256(file) for file in _files(folder)}


def _files(folder: Path) -> Iterator[Path]:
    return (
        file
        for file in folder.rglob("*")
        if file.is_file()
        and not file.name.startswith(".")
        and "__pycache__" not in file.parts
        and not (file.name in _BUILDS_A_PLAN and file.with_name(_PLAN).is_file())
    )
