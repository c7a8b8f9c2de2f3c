"""A sentence at a figure has at most twelve words; what is more stands behind "More"."""

import re
from pathlib import Path

import pytest

from deploy.local.places import ROOT
from tests.moderation.web import messages

_MOST = 12
_PAGES = ("activity/*", "quality/*", "learning/*", "campaigns/*", "settings/*", "cases/queue.html")
_CODE = ("quality/plan.py", "quality/quality.py", "learning/threshold_words.py", "cases/model_view.py")
# What has to be opened first, and what no reader sees.
_APART = re.compile(r"<details.*?</details>|{% confirm.*?{% endconfirm %}|{#.*?#}", re.DOTALL)
_SHOWN = re.compile(r"<(?:p|figcaption|dd)(?:\s[^>]*)?>(.*?)</(?:p|figcaption|dd)>", re.DOTALL)
_QUOTED = re.compile(r"""{% (?:translate|setting \S+) (?:_\()?"([^"]+)".*?%}""")
_END = re.compile(r"(?<=[.?!])\s|{%\s*(?:else|elif|plural)[^%]*%}|\s·\s")
_BESIDE = re.compile(r"{%.*?%}|<[^>]*>", re.DOTALL)
_VARIABLE = re.compile(r"{{.*?}}|%\(\w+\)[sd]|{\w*}")


def _too_long(text: str) -> list[str]:
    """Return the sentences of a text with more words than fit; a variable counts as one."""
    sentences = (_VARIABLE.sub("N", _BESIDE.sub(" ", sentence)) for sentence in _END.split(text))
    return [sentence for sentence in sentences if len(re.findall(r"[\w’'%±-]+", sentence)) > _MOST]


@pytest.mark.parametrize("pattern", _PAGES)
def test_pages(pattern: str) -> None:
    for path in (ROOT / "templates").glob(pattern):
        read = _APART.sub("", path.read_text())
        shown = [*_SHOWN.findall(_QUOTED.sub(r"\1", read)), *_QUOTED.findall(read)]

        assert [sentence for text in shown for sentence in _too_long(text)] == [], path


@pytest.mark.parametrize("name", _CODE)
def test_sentences_made_in_code(name: str) -> None:
    said = messages.in_source(ROOT / "moderation" / "web" / Path(name))

    assert [sentence for message in said for text in message for sentence in _too_long(text)] == []
