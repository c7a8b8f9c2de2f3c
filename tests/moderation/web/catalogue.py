"""Keeps the German messages: `python -m tests.moderation.web.catalogue` adds new ones and compiles all.

Neither needs the gettext tools. An entry without a translation fails a test until somebody writes it.
"""

import ast
import json
import re
import struct
import sys
from pathlib import Path

from deploy.local.places import ROOT
from tests.moderation.web import messages
from tests.moderation.web.messages import IN_CONTEXT, Message

FOLDER = ROOT / "locale" / "de" / "LC_MESSAGES"
_HEADER = (
    "Project-Id-Version: Spamdesk\nLanguage: de\nMIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
    "Plural-Forms: nplurals=2; plural=(n != 1);\n"
)
_LINE = re.compile(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) (".*")')

Catalogue = dict[Message, list[str]]
"""Each message with what is said instead: one form, or two where it has a plural."""


def wanted() -> set[Message]:
    """Return every message of templates and code; one with a plural stands for its singular, too."""
    found = {message for path in messages.TEMPLATES for message in messages.in_template(path)}
    found |= {message for path in messages.SOURCES for message in messages.in_source(path)}
    plural = {one for one, many in found if many}
    return {(one, many) for one, many in found if one and (many or one not in plural)}


def read(path: Path) -> Catalogue:
    """Read a .po file as `write` writes it: one line per string."""
    said: Catalogue = {}
    for block in path.read_text().split("\n\n")[1:]:
        lines = {key: str(ast.literal_eval(value)) for key, value in _LINE.findall(block)}
        forms = [lines[key] for key in ("msgstr", "msgstr[0]", "msgstr[1]") if key in lines]
        context = lines["msgctxt"] + IN_CONTEXT if "msgctxt" in lines else ""
        said[context + lines["msgid"], lines.get("msgid_plural", "")] = forms
    return said


def write(path: Path, said: Catalogue) -> None:
    """Write a .po file in the order of its messages."""
    blocks = ['msgid ""\nmsgstr ' + _quoted(_HEADER)]
    for (one, many), forms in sorted(said.items()):
        context, _, text = one.rpartition(IN_CONTEXT)
        lines = [f"msgctxt {_quoted(context)}"] if context else []
        lines.append(f"msgid {_quoted(text)}")
        if many:
            lines.append(f"msgid_plural {_quoted(many)}")
            lines += [f"msgstr[{index}] {_quoted(form)}" for index, form in enumerate(forms)]
        else:
            lines.append(f"msgstr {_quoted(forms[0])}")
        blocks.append("\n".join(lines))
    path.write_text("\n\n".join(blocks) + "\n")


def compile_to(path: Path, said: Catalogue) -> None:
    """Write a .mo file (GNU gettext manual, "The Format of GNU MO Files") of what is translated."""
    entries = {b"": _HEADER.encode()}
    for (one, many), forms in said.items():
        if all(forms):
            entries["\0".join(filter(None, (one, many))).encode()] = "\0".join(forms).encode()
    keys = sorted(entries)
    start = 28 + 16 * len(keys)
    originals, translations, texts = b"", b"", b""
    for table in (keys, [entries[key] for key in keys]):
        index = b""
        for text in table:
            index += struct.pack("<II", len(text), start + len(texts))
            texts += text + b"\0"
        originals, translations = translations, index
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, start)
    path.write_bytes(head + originals + translations + texts)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def main() -> None:
    """Bring the .po up to date with the code, and the .mo with the .po."""
    path = FOLDER / "django.po"
    known = read(path)
    said = {message: known.get(message, ["", ""] if message[1] else [""]) for message in wanted()}
    write(path, said)
    compile_to(path.with_suffix(".mo"), said)
    missing = [one for (one, _), forms in said.items() if not all(forms)]
    sys.stdout.write("\n  ".join([f"{len(said)} messages, to be translated:", *sorted(missing), ""]))


if __name__ == "__main__":
    main()
