"""A folder of labelled pictures: what is read, what is left out and named, what is refused."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.training.image.pictures import folder_of
from training.image import labelled_pictures
from training.image.backbone import Preprocessing
from training.labelled_lines import Malformed

STEPS = Preprocessing(resize=40, crop=32, mean=(0.5, 0.5, 0.5), deviation=(0.25, 0.25, 0.25))


def test_reads_pixels_labels_and_groups(tmp_path: Path) -> None:
    folder = folder_of(4, tmp_path / "pictures")

    found = labelled_pictures.load(folder, preprocessing=STEPS)

    assert [example.label for example in found.examples] == [0, 1, 0, 1]
    assert {example.source for example in found.examples} == {"pictures"}
    assert found.pixels.shape == (4, 32, 32, 3)
    assert found.unread == {}


def test_what_is_no_picture_is_left_out_and_named(tmp_path: Path) -> None:
    more = ({"file": "text.png", "label": 1}, {"file": "missing.png", "label": 0})
    folder = folder_of(2, tmp_path, more=more)
    (folder / "text.png").write_text("a page", encoding="utf-8")

    found = labelled_pictures.load(folder, preprocessing=STEPS)

    assert len(found.examples) == 2
    assert set(found.unread) == {"text.png", "missing.png"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("no JSON", "not JSON"),
        ('{"file": "0.png"}', "`label` 0 or 1"),
        ('{"file": "0.png", "label": 2}', "`label` 0 or 1"),
        ('{"file": 7, "label": 1}', "`file` must be a name"),
        ('{"file": "../0.png", "label": 1}', "not within the folder"),
        ('{"file": "/etc/hostname", "label": 1}', "not within the folder"),
        ('{"file": "0\\u0000.png", "label": 1}', "is no name of a file"),
        ('{"file": "\\ud800.png", "label": 1}', "is no name of a file"),
        pytest.param("[" * 100_000, "nested too deeply", id="nested too deeply"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_by_its_number(tmp_path: Path, line: str, why: str) -> None:
    folder = folder_of(2, tmp_path)
    with (folder / "manifest.jsonl").open("a", encoding="utf-8") as manifest:
        manifest.write(line + "\n")

    with pytest.raises(Malformed, match=rf"manifest\.jsonl, line 3: .*{why}"):
        labelled_pictures.load(folder, preprocessing=STEPS)


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="not there"):
        labelled_pictures.load(tmp_path, preprocessing=STEPS)


def test_copies_of_a_picture_share_a_group_unless_one_is_given(tmp_path: Path) -> None:
    def scaled(picture: Image.Image, **options: Any) -> bytes:
        written = io.BytesIO()
        picture.resize((300, 200)).save(written, **options)
        return written.getvalue()

    one, other = (_coarse(seed) for seed in (1, 2))
    files = {
        "a.png": scaled(one, format="PNG"),
        "b.jpg": scaled(one.resize((600, 400)), format="JPEG", quality=70),
        "c.png": scaled(other, format="PNG"),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    rows = [{"file": name, "label": 0} for name in files]
    (tmp_path / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    groups = [one.group for one in labelled_pictures.load(tmp_path, preprocessing=STEPS).examples]

    assert groups[0] == groups[1] != groups[2]


def test_pixels_are_normalised_as_on_the_server() -> None:
    pixels = np.zeros((1, 2, 2, 3), dtype=np.uint8)
    pixels[0, 0, 1] = (255, 0, 0)

    found = labelled_pictures.normalised(pixels, preprocessing=STEPS)

    assert found.shape == (1, 3, 2, 2)
    assert found[0, 0, 0, 1] == pytest.approx(2.0)
    assert found[0, 1, 0, 1] == pytest.approx(-2.0)


def _coarse(seed: int) -> Image.Image:
    random = np.random.default_rng(seed)
    coarse = Image.fromarray(random.integers(0, 256, size=(6, 9, 3), dtype=np.uint8))
    return coarse.resize((900, 600), Image.Resampling.BICUBIC)
