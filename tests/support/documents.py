"""Parses documentation, deployment files and source code into forms that can be compared."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from everword.client.servers import PUBLIC_PORTS

ROOT = Path(__file__).parents[2]
_VARIABLE = re.compile(r"EVERWORD_[A-Z_]+")
#: Names of variables that the code formats, with the inserted values.
_COMPOSED = {
    "EVERWORD_{}_ADDRESS": list(PUBLIC_PORTS),
}


def documents() -> list[Path]:
    """Return all documentation pages, such as docs/facts.md."""
    found = [*ROOT.glob("*.md"), *(ROOT / "services").glob("*/README.md")]
    for name in ("docs", "deploy", "examples", "protos"):
        found += [each for each in (ROOT / name).rglob("*.md") if "node_modules" not in each.parts]
    return found


def table_rows(document: str, heading: str) -> list[dict[str, str]]:
    """Return the rows of the first table below a heading, by column."""
    section = re.split(r"^#+ ", (ROOT / document).read_text(encoding="utf-8"), flags=re.MULTILINE)
    (body,) = [part for part in section if part.partition("\n")[0] == heading]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert rows
    return [dict(zip(header, row, strict=True)) for row in rows]


def code(cell: str) -> str:
    """Return the text in backticks of a cell that contains nothing else."""
    match = re.fullmatch(r"`([^`]+)`", cell)
    assert match, f"{cell!r} is not one name in backticks"
    return match[1]


def code_blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return [body for tag, body in blocks if tag == language]


@cache
def sources() -> dict[str, ast.Module]:
    """Return the hand-written modules of all packages by path, such as `everword/rpc/health.py`."""
    generated = ("everword/v1/", "everword/internal/", "buf/")
    roots = [*ROOT.glob("libs/*/src"), *ROOT.glob("services/*/src")]
    paths = {
        str(path.relative_to(root)): path for root in roots for path in sorted(root.rglob("*.py"))
    }
    return {
        name: ast.parse(path.read_text(encoding="utf-8"))
        for name, path in paths.items()
        if not name.startswith(generated)
    }


@cache
def variables_read() -> frozenset[str]:
    """Return the EVERWORD_* variables that the code reads: names that are a whole string literal.

    Keys of dicts do not count, since they are set for other processes.
    """
    return frozenset(name for tree in sources().values() for name in _variables(tree))


def _variables(tree: ast.Module) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    keys = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
    for node in nodes:
        if id(node) in keys:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _VARIABLE.fullmatch(node.value):
                yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            ]
            template = "".join(parts)
            if re.fullmatch(r"[A-Z_]*(\{\}[A-Z_]*)+", template) and "EVERWORD_" in template:
                yield from (template.format(name.upper()) for name in _COMPOSED[template])
