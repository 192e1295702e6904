"""Texts that cost more to parse than other texts of their length."""

from __future__ import annotations

import random
from collections.abc import Callable

_WORDS = [
    *("the", "agent", "met", "Paula", "at", "noon", "and", "told", "her", "that", "pump", "seven"),
    *("needs", "a", "new", "seal", "before", "winter,", "so", "they", "ordered", "two", "from"),
    *("Lisbon", "and", "wrote", "the", "price", "into", "the", "report", "for", "the", "harbour"),
]


def _repeated(unit: str) -> Callable[[int], str]:
    return lambda size: unit * (size // len(unit.encode()))


def prose(size: int) -> str:
    """Return sentences of ordinary length in paragraphs, of `size` characters."""
    chosen, written, length = random.Random(48), list[str](), 0
    while length < size:
        sentence = " ".join(chosen.choices(_WORDS, k=chosen.randint(5, 20))).capitalize()
        written.append(sentence + chosen.choice([". ", "? ", "! ", ".\n\n"]))
        length += len(written[-1])
    return "".join(written)[:size]


#: Functions that make a text of about this many bytes, by name. None exceeds the limit of sections.
HEAVY_TEXTS: dict[str, Callable[[int], str]] = {
    **{
        repr(unit)[1:-1]: _repeated(unit)
        for unit in (
            *("a\n", "a ", "a\n\n", "a. ", "? ", "- a\n", "* a\n\n", "1. a\n", "|a|\n", "|-|\n"),
            *("a|b\n---|---\n", ">", ">>>> a\n", "> - a\n", "> # a\n", "- # a\n", "    a\n"),
            *("```\n", "```\n~~~\n", "<div>\n", "<!--\n", "<a ", "<?\n", "[", "[a](", "[a]: b\n"),
            *("a", ".", "-", "!?.,;:", "😀", "😀 ", "我们学校", "我。", "한국어 ", "ภาษาไทย"),
            *("\u0301", "a\u0301", "\ufdfa", "1", "1 ", "/a", "/a/b.c ", "http://a ", "@a ", "aB "),
            *("a_b ", "'a' ", "a’", "*", "_", "` ", "\\", "&amp;", "---\n", "a: b\n", "I "),
            *("yesterday ", "\t", " \n", "a\r", "a\u2028"),
        )
    },
    "blank line": lambda size: "a" + " " * (size - 2) + "a",
    "nested quotes": lambda size: "".join(">" * (n % 500) + " a\n" for n in range(size // 252)),
    "nested lists": lambda size: "".join("  " * (n % 200) + "- a\n" for n in range(size // 203)),
    "list in list": lambda size: "- " * (size // 2),
    "unclosed fence": lambda size: "```\n" + "a b\n" * (size // 4 - 2),
    "fences of all lengths": lambda size: "".join(
        "`" * (3 + n % 400) + "\n" for n in range(size // 204)
    ),
    "table": lambda size: "|a|b|\n|-|-|\n" + "|1|2|\n" * (size // 6 - 3),
    "link targets": lambda size: "".join(f"[{n}]: u\n" for n in range(size // 12)),
    "front matter": lambda size: "---\n" + "a: b\n" * (size // 5 - 1),
    "letters": lambda size: "".join(random.Random(2).choices("abcXYZ0123456789", k=size)),
    "long heading": lambda size: "# " + "a" * (size - 2),
    "sections": lambda size: "".join(f"# h{n}\n\n{'text ' * 20}\n\n" for n in range(size // 115)),
}
#: Texts over the limit of sections, from about 400 KB on.
CROWDED_TEXTS: dict[str, Callable[[int], str]] = {
    repr(unit)[1:-1]: _repeated(unit)
    for unit in ("# a\n", "a\n=\n", "# a\n\nb\n\n", "- a\n\n# b\n")
}
