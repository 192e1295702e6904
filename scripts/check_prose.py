"""Find docstrings, comments and paragraphs with the phrases that docs/writing.md asks to avoid.

Fails if a package has more of them than `scripts/prose_ceilings.toml` allows, and lists those in lines that main does
not have. A hit is a place to look at, not proof of a bad sentence. `--list [PATH...]` prints every hit, `--update`
lowers the ceilings to the numbers found.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CEILINGS = ROOT / "scripts" / "prose_ceilings.toml"
#: Generated files, samples of other people's writing, and pages that quote test names.
SKIPPED = re.compile(
    r"_pb2|/samples/|third_party/|docs/reference/|docs/features\.md|docs/writing\.md|db/schema\.sql|check_prose\.py"
)
PHRASES = {
    "relative clause as a noun": re.compile(
        r"(^|[ ,;:(])(what|whoever|whom?|whatever|those that|that which) "
        r"(is|was|are|were|has|had|holds|comes|came|goes|stands|does|did|can|may|must|it|they|somebody"
        r"|nobody|callers?|others?|a [a-z]+|the [a-z]+|made|makes|follows|belongs|waits|finds|needs"
        r"|asks|takes|ranks|another|each|counts|says|said|reads|cannot|should|will)\b"
    ),
    "somebody, another's": re.compile(
        r"\b(another's|somebody|somebody's|nobody|whoever|whichever|whosever|anybody|everybody)\b"
    ),
    "tell for return or know": re.compile(
        r"(^Tells? |\b(is|are|be|was|were) told\b"
        r"|\btells? (what|whether|from|it|which|when|how|them|that|apart)\b)"
    ),
    "where for if": re.compile(
        r"\b[Ww]here (it|that|there|no|none|nothing|they|one|two|this|its|any|some|he|each|several|all|both|many)\b"
    ),
    "stand, beside": re.compile(
        r"\b(stands?|stood) (for|in|on|beside|there|where|at|alone|before|after|behind|once)\b|\bbeside\b"
    ),
    "idiom": re.compile(
        r"\b(in vain|in work|is at it|for lack|on its way|on their way|gives? way|borne out|bears? out"
        r"|bear out|by itself|anew|so many|so long as that)\b"
    ),
    "fronted genitive": re.compile(
        r"(^|\. )Of (a|an|the|those|these|what|several|two|each|its|it|one|all|which|whom)\b"
    ),
    "fragment": re.compile(
        r"^(None where|None for|0 for|0 where|Where|Those|That of|Whether|Who|What)\b"
    ),
}


class Prose(NamedTuple):
    """A docstring, a comment line or a paragraph, at its first line."""

    path: str
    line: int
    text: str


def python_prose(path: str, text: str) -> Iterator[Prose]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and (docstring := ast.get_docstring(node)):
            yield Prose(path, node.body[0].lineno, " ".join(docstring.split()))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith(
            ("# noqa", "# type", "#!")
        ):
            yield Prose(path, token.start[0], token.string.lstrip("#: ").strip())


def line_comments(path: str, text: str, mark: str) -> Iterator[Prose]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith(mark):
            yield Prose(path, number, line.strip().lstrip("/- "))


def paragraphs(path: str, text: str) -> Iterator[Prose]:
    number = 1
    for part in re.split(r"(?<=\n)\s*\n", text):
        if not part.lstrip().startswith(("```", "|", "#", "<")):
            yield Prose(path, number, " ".join(part.split()))
        number += part.count("\n") + 1


READERS: dict[str, Callable[[str, str], Iterator[Prose]]] = {
    ".py": python_prose,
    ".proto": partial(line_comments, mark="//"),
    ".sql": partial(line_comments, mark="--"),
    ".md": paragraphs,
}


def git(*arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines()


def find_hits(paths: list[str]) -> dict[Prose, list[str]]:
    """Return the flagged places among files that git tracks, with the names of the phrases found."""
    hits = {}
    for path in git("ls-files", "--cached", "--others", "--exclude-standard", "--", *paths):
        reader = READERS.get(Path(path).suffix)
        if reader is None or SKIPPED.search(path) or not (ROOT / path).is_file():
            continue
        for place in reader(path, (ROOT / path).read_text()):
            if found := [name for name, phrase in PHRASES.items() if phrase.search(place.text)]:
                hits[place] = found
    return hits


def package(path: str) -> str:
    """Return the folder that has a ceiling: `libs/server`, `services/search`, `docs` or `.` for pages at the root."""
    parts = Path(path).parts
    if len(parts) == 1:
        return "."
    return "/".join(parts[:2]) if parts[0] in ("libs", "services") else parts[0]


def added_lines() -> dict[str, set[int]]:
    """Return the lines of each file that differ from the last commit of main."""
    base = next(
        iter(git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main")), "HEAD"
    )
    added: dict[str, set[int]] = defaultdict(set)
    path = ""
    for line in git("diff", "-U0", base):
        if line.startswith("+++ b/"):
            path = line[6:]
        elif found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(found[1]), int(found[2] or 1)
            added[path].update(range(first, first + count))
    return added


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--list"]:
        for place, names in find_hits(arguments[1:]).items():
            print(f"{place.path}:{place.line}: {', '.join(names)}: {place.text[:120]}")
        return 0
    hits = find_hits([])
    counts = Counter(package(place.path) for place in hits)
    ceilings: dict[str, int] = tomllib.loads(CEILINGS.read_text()) if CEILINGS.exists() else {}
    above = {name: count for name, count in counts.items() if count > ceilings.get(name, 0)}
    if "--update" in arguments:
        lowered = {n: min(c, ceilings.get(n, c)) for n, c in sorted(counts.items())}
        lines = [f'"{name}" = {count}\n' for name, count in lowered.items()]
        CEILINGS.write_text(
            "# Flagged places in each package; these numbers only fall.\n" + "".join(lines)
        )
        return 0
    if not above:
        return 0
    added = added_lines()
    for place, names in hits.items():
        if package(place.path) in above and place.line in added[place.path]:
            print(f"{place.path}:{place.line}: {', '.join(names)}: {place.text[:120]}")
    for name, count in above.items():
        print(
            f"{name}: {count} places to rewrite, {ceilings.get(name, 0)} allowed. docs/writing.md says how;"
            f" `python scripts/check_prose.py --list {name}` lists them."
        )
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
