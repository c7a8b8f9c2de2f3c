"""Reads what people can read, from templates and code, without the gettext tools."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from django.template.base import Lexer, TokenType
from django.utils.translation.template import templatize

from deploy.local.places import ROOT

# The pages of the API are in English alone.
TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*.*") if path.parent.name != "api")
_LAYERS = [ROOT / "moderation" / name for name in ("web", "templatetags", "queries", "operations", "models")]
SOURCES = sorted(path for folder in (*_LAYERS, ROOT / "integrations") for path in folder.rglob("*.py"))
_SINGLE = {"gettext", "_", "gettext_lazy", "gettext_noop"}
_SPOKEN = {"share", "days", "hours", "seconds", "number", "flag"}
_COUNTS = {
    "of_complaints": ("complaint", "complaints", "No complaints", ""),
    "of_last_day": ("post", "posts", "No other posts", " in the previous 24 hours"),
}
_PLURAL = {"ngettext", "ngettext_lazy"}
_STRING = r"u?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_TEMPLATED = re.compile(rf"\b(p?)n?gettext\(\s*({_STRING})(?:\s*,\s*({_STRING}))?", re.DOTALL)
_LITERAL = re.compile(rf"\b_\(({_STRING})\)")
_READ_ATTRIBUTES = {"aria-label", "title", "placeholder", "alt"}
_WORD = re.compile(r"[^\W\d_]{2,}")
# Names and units that are the same in every language.
_NAMES = re.compile(
    r"Spamdesk|DistilBERT|Triton|PostgreSQL|UTC|SHA-256|Esc|Ctrl|Alt|Meta|is-desk|\bms\b|[\w.]+\.example"
)

Message = tuple[str, str]
"""A message and its plural, "" where it has none. One with a context begins with it, as in a .mo file."""
IN_CONTEXT = "\x04"


def in_template(path: Path) -> set[Message]:
    """Return the messages of a template."""
    source = path.read_text()
    calls = _TEMPLATED.findall(templatize(source, origin=str(path)))
    found = {
        (f"{_text(one)}{IN_CONTEXT}{_text(many)}", "") if context else (_text(one), _text(many))
        for context, one, many in calls
    }
    return found | {(_text(one), "") for one in _LITERAL.findall(source)}


def in_source(path: Path) -> set[Message]:
    """Return the messages of a module."""
    found: set[Message] = set()
    is_spoken = "sentences" in path.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found |= _of_call(node.func.id, node)
            found |= _of_sentence(node.func.id, node) if is_spoken else set()
        elif isinstance(node, ast.Assign) and is_spoken:
            found |= {(one, "") for one in _strings([node.value])}
    return found


def bare_words(path: Path) -> list[str]:
    """Return what a template says outside of every translation, in text and in attributes that are read."""
    reader = _Reader()
    reader.feed("".join(_outside(path.read_text())))
    return [words for words in reader.found if _WORD.search(_NAMES.sub("", words))]


def _of_call(name: str, node: ast.Call) -> set[Message]:
    words = _strings(node.args)
    if name in _SINGLE and words and isinstance(node.args[0], ast.Constant):
        return {(words[0], "")}
    if name in _PLURAL and len(words) >= 2:
        return {(words[0], words[1])}
    if name == "pgettext" and len(words) >= 2:
        return {(words[0] + IN_CONTEXT + words[1], "")}
    if name == "counted" and len(words) == 2:
        return {(f"{{}} {words[0]}", f"{{}} {words[1]}")}
    return set()


def _of_sentence(name: str, node: ast.Call) -> set[Message]:
    """Return what the sentences of the features say; only there do these names mean so."""
    words = _strings(node.args)
    if name in _SPOKEN and words:
        return {(words[0], "")}
    if name == "things":
        tail = words[2] if len(words) > 2 else ""
        return {(f"{{}} {words[0]}{tail}", f"{{}} {words[1]}{tail}")}
    if name in _COUNTS and words:
        one, many, zero, tail = _COUNTS[name]
        tail = f"{words[0]}{tail}"
        return {(f"{{}} {one}{tail}", f"{{}} {many}{tail}"), (f"{zero}{tail}", "")}
    if name == "Decided" and words:
        tail = "".join(_strings([keyword.value for keyword in node.keywords if keyword.arg == "tail"]))
        share = tuple(f"{{}} of {{}} {words[0]} {verb} spam{tail}" for verb in ("was", "were"))
        return {(share[0], share[1]), (f"Among {words[0]}: {{}}", "")}
    if name == "Sentence":
        return {(word, "") for word in words + _strings([keyword.value for keyword in node.keywords])}
    return set()


def _strings(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _text(literal: str) -> str:
    return str(ast.literal_eval(literal)) if literal else ""


def _outside(source: str) -> Iterator[str]:
    """Yield the text of a template between its tags; blocks of translation and comments are left out."""
    inside = ""
    for token in Lexer(source).tokenize():
        command = token.contents.split(" ", 1)[0] if token.token_type is TokenType.BLOCK else ""
        if inside:
            inside = "" if command == f"end{inside}" else inside
        elif command in {"blocktranslate", "blocktrans", "comment"}:
            inside = command
        elif token.token_type is TokenType.TEXT:
            yield token.contents
        elif token.token_type is TokenType.VAR:
            yield "0"


class _Reader(HTMLParser):
    """Collects text and attributes that people read or hear."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note the attributes that are read."""
        self._silent += tag in {"code", "kbd", "script", "style"}
        self.found += [value for name, value in attributes if name in _READ_ATTRIBUTES and value]

    def handle_endtag(self, tag: str) -> None:
        """Leave code and keys."""
        self._silent -= tag in {"code", "kbd", "script", "style"}

    def handle_data(self, data: str) -> None:
        """Note text."""
        if not self._silent and data.strip():
            self.found.append(data.strip())
