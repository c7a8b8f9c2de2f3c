"""A sentence at a figure has at most twelve words; what is more stands behind "More"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local.places import ROOT
from tests.moderation.web import messages

_MOST = 12
_PAGES = (
    *("activity/today.html", "quality/quality.html", "quality/drift.html", "campaigns/campaigns.html"),
    *("campaigns/campaign.html", "cases/queue.html", "settings/platform_settings.html"),
    *("learning/thresholds.html", "learning/models.html", "learning/release.html", "learning/shadow.html"),
)
_SENTENCES = ("quality/plan.py", "quality/quality.py", "learning/threshold_words.py", "cases/model_view.py")
# What has to be opened first, and what no reader sees.
_APART = re.compile(
    r"<details.*?</details>|{% confirm.*?{% endconfirm %}|{#.*?#}|{% comment.*?endcomment %}", re.DOTALL
)
_SHOWN = re.compile(r"<(p|figcaption|dd)(?:\s[^>]*)?>(.*?)</\1>", re.DOTALL)
_TRANSLATED = re.compile(r"""{% translate (["'])(.*?)\1.*?%}""")
_END = re.compile(r"(?<=[.?!])\s|{%\s*(?:else|elif|plural)[^%]*%}|\s·\s")
_BESIDE = re.compile(r"{%.*?%}|<[^>]*>", re.DOTALL)
_VARIABLE = re.compile(r"{{.*?}}|%\(\w+\)[sd]|{\w*}")


def too_long(text: str) -> list[str]:
    """Return the sentences of a text with more words than fit; a variable counts as one."""
    sentences = (_VARIABLE.sub("N", _BESIDE.sub(" ", sentence)) for sentence in _END.split(text))
    return [sentence for sentence in sentences if len(re.findall(r"[\w’'%±-]+", sentence)) > _MOST]


def templates() -> Iterator[Path]:
    """Yield the pages and what they include."""
    waiting = list(_PAGES)
    for name in waiting:
        path = ROOT / "templates" / name
        yield path
        included = re.findall(r'{% include "([^"]+)"', path.read_text())
        waiting += [other for other in included if other not in waiting]


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_templates(path: Path) -> None:
    shown = _SHOWN.findall(_APART.sub("", path.read_text()))

    assert [one for _, text in shown for one in too_long(_TRANSLATED.sub(r"\2", text))] == []


@pytest.mark.parametrize("name", _SENTENCES)
def test_sentences_with_figures(name: str) -> None:
    said = messages.in_source(ROOT / "moderation" / "web" / name)

    assert [one for message in said for text in message for one in too_long(text)] == []


def test_says_what_is_too_long() -> None:
    assert too_long("one two three four five six seven eight nine ten eleven twelve. Short.") == []
    assert too_long("{{ one }} two three four five six seven eight nine ten eleven twelve more.") != []
