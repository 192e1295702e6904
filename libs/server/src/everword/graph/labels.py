"""Names of nodes and types of relations: comparison and display."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from enum import IntEnum

from everword.text.case_folding import fold_forms

_SEPARATORS = re.compile(r"[\W_]+")


class Anchor(IntEnum):
    """A node that is there wherever it is named. Values equal the column `anchor`."""

    ME = 1
    USER = 2


#: By label: which anchor it names, and the type that it has.
ANCHORS = {"me": (Anchor.ME, "self"), "user": (Anchor.USER, "person")}


def clean_label(text: str) -> str:
    """Return a label in one line, without characters that are not seen."""
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(each for each in line if unicodedata.category(each) not in ("Cc", "Cf")).strip()


def label_key(label: str) -> str:
    """Return a label in a form that ignores case, spaces and apostrophes, for comparison."""
    return fold_forms(clean_label(label))


def label_hash(label: str) -> bytes:
    """Return the hash that a label is looked up by."""
    return hashlib.sha256(label_key(label).encode()).digest()


def type_name(text: str) -> str:
    """Return a type in lower case with underscores, such as `works_at` for `Works at`; empty if no letters are left."""
    return _SEPARATORS.sub("_", unicodedata.normalize("NFKC", text).casefold()).strip("_")


def find_anchor(label: str) -> tuple[Anchor, str] | None:
    """Return the anchor that a label names, with its type."""
    return ANCHORS.get(label_key(label))
