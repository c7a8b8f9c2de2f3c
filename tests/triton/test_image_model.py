"""The image model on the real Triton: it answers as the framework does, and hostile pictures by an error."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tritonclient.grpc
from numpy.typing import NDArray
from PIL import Image
from tritonclient.utils import InferenceServerException

from deploy.local.places import State
from scoring.triton_socket import TritonSocket
from tests.libraries import later, needs
from tests.tiny_resnet import CROP, RESIZE
from tests.triton import image_files, own_server
from tests.triton.image_files import as_file, drawn

pytestmark = [
    needs("torch"),
    pytest.mark.train,
    pytest.mark.xdist_group("image model"),
    pytest.mark.timeout(600),
]
torch = later("torch")

FILES = {
    "jpeg": as_file(drawn(seed=1), "JPEG", quality=90),
    "png": as_file(drawn(width=300, height=700, seed=2)),
    "webp": as_file(drawn(width=233, height=229, seed=3), "WEBP", lossless=True),
    "grey": as_file(drawn(seed=4, mode="L")),
    "palette": as_file(drawn(seed=5, mode="P")),
    "cmyk": as_file(drawn(seed=6, mode="CMYK"), "JPEG"),
    "tiny": as_file(drawn(width=5, height=9, seed=7)),
}
HOSTILE = {
    "nothing": (b"", "not a picture in JPEG, PNG, WEBP"),
    "text": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a picture"),
    "gif": (as_file(drawn(), "GIF"), "not a picture"),
    "bomb": (image_files.png_that_claims(width=30_000, height=30_000), "pixels"),
    "below the limit, without its rows": (image_files.png_that_claims(width=6_000, height=6_000), "broken"),
    "cut off": (FILES["jpeg"][:3000], "broken"),
    "scans": (image_files.jpeg_of_many_scans(), "more than 200 scans"),
    "large": (bytes(20_000_001), "20000001 bytes, at most 20000000"),
}


@dataclass(frozen=True)
class Served:
    client: Any
    backbone: Any

    def ask(self, *files: bytes, classes: int = 0) -> NDArray[Any]:
        tensor = tritonclient.grpc.InferInput("PICTURE", [len(files), 1], "BYTES")
        tensor.set_data_from_numpy(np.array(files, dtype=np.object_).reshape(-1, 1))
        wanted = tritonclient.grpc.InferRequestedOutput("probabilities", class_count=classes)
        answer = self.client.infer("image", [tensor], outputs=[wanted], client_timeout=60)
        return np.asarray(answer.as_numpy("probabilities"))

    def framework(self, picture: Image.Image) -> NDArray[Any]:
        """What the preprocessing of these weights and the network in torch make of it."""
        pixels = torch.from_numpy(preprocessed(picture.convert("RGB")))
        with torch.inference_mode():
            logits = self.backbone.model(pixels[None]).logits
        return np.asarray(torch.softmax(logits, dim=1)[0])


def preprocessed(picture: Image.Image) -> NDArray[np.float32]:
    """Scale the shorter side and take the middle square, rounded as torchvision does, written out."""
    width, height = picture.size
    shorter = min(width, height)
    size = (
        RESIZE if width == shorter else RESIZE * width // shorter,
        RESIZE if height == shorter else RESIZE * height // shorter,
    )
    scaled = picture.resize(size, Image.Resampling.BILINEAR)
    left, top = round((size[0] - CROP) / 2), round((size[1] - CROP) / 2)
    middle = np.asarray(scaled.crop((left, top, left + CROP, top + CROP)), dtype=np.float32) / np.float32(255)
    mean = np.array((0.485, 0.456, 0.406), dtype=np.float32)
    deviation = np.array((0.229, 0.224, 0.225), dtype=np.float32)
    return np.asarray(((middle - mean) / deviation).transpose(2, 0, 1), dtype=np.float32)


@pytest.fixture(scope="module")
def served(
    image_repository: Path, random_backbone: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A Triton of its own, with the image model installed beside content, and loaded."""
    state = State(tmp_path_factory.mktemp("image") / "state")
    for model in ("image", "pixels", "resnet50"):
        (state.folder("triton/models") / model).symlink_to(image_repository / model)
    with own_server.serving(state) as (server, _):
        TritonSocket(server.socket, timeout_seconds=120).load_model("image")
        client = tritonclient.grpc.InferenceServerClient(server.url.removeprefix("grpc://"))
        yield Served(client=client, backbone=random_backbone)


@pytest.mark.parametrize("kind", FILES)
def test_answers_as_the_framework_does(served: Served, kind: str) -> None:
    picture = Image.open(io.BytesIO(FILES[kind]))

    [found] = served.ask(FILES[kind])

    expected = served.framework(picture)
    assert found.shape == (1000,)
    np.testing.assert_allclose(found, expected, atol=1e-3)
    # Of a thousand small probabilities the logarithms: a difference of the logits.
    np.testing.assert_allclose(np.log(found), np.log(expected), atol=1e-3)


def test_a_turned_picture_is_read_upright(served: Served) -> None:
    upright = drawn(seed=8)
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter

    [turned] = served.ask(as_file(upright.transpose(Image.Transpose.ROTATE_90), exif=exif))

    np.testing.assert_allclose(turned, served.ask(as_file(upright))[0], atol=1e-6)


def test_five_classes_come_with_their_labels(served: Served) -> None:
    [answer] = served.ask(FILES["jpeg"], classes=5)

    [probabilities] = served.ask(FILES["jpeg"])
    best = np.argsort(-probabilities)[:5]
    told = [one.decode().split(":", 2) for one in answer]
    assert [int(number) for _, number, _ in told] == best.tolist()
    assert [label for _, _, label in told] == [served.backbone.labels[number] for number in best]
    assert [float(share) for share, _, _ in told] == pytest.approx(probabilities[best].tolist(), abs=1e-6)


def test_an_answer_does_not_depend_on_the_batch(served: Served) -> None:
    together = served.ask(*FILES.values())

    alone = np.concatenate([served.ask(file) for file in FILES.values()])
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_picture_gets_an_error_and_the_next_one_an_answer(served: Served, kind: str) -> None:
    data, why = HOSTILE[kind]

    with pytest.raises(InferenceServerException, match=f"picture 2 of 2: .*{why}"):
        served.ask(FILES["png"], data)

    assert served.ask(FILES["png"]).shape == (1, 1000)
