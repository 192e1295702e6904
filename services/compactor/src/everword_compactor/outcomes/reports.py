"""The lines in which test runners, linters, builds and databases say how it went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from everword_compactor.outcomes.phrases import counted, edge_lines, one_line, quoted

_COUNTED = (
    "passed|failed|failures?|errors?|passing|failing|skipped|xfailed|xpassed|pending|ignored|warnings?|deselected|todo|"
    "examples?|tests?|problems?|total|broken|flaky|cancelled"
)
#: `2 failed` and, with the number behind, `Failures: 2` and `failures=2`.
_NUMBER_FIRST = regex.compile(
    rf"(?<![\w.:-])(\d[\d,]*) (?:tests? )?({_COUNTED})\b", regex.IGNORECASE
)
_NUMBER_LAST = regex.compile(
    r"\b(tests run|passed|failed|failures?|errors?|skipped|assertions|tests|total)[:=] ?(\d[\d,]*)\b",
    regex.IGNORECASE,
)
#: Words that distinguish a report from a sentence with a number.
_TELLING = {
    "passed",
    "failed",
    "failure",
    "failures",
    "passing",
    "failing",
    "examples",
    "example",
    "problems",
    "problem",
}
_RAN = regex.compile(r"Ran (\d+) tests? in ")
_VERDICT = regex.compile(r"(?:OK|FAILED)(?: \([^()]{1,80}\))?")
_FAILED_NAME = regex.compile(
    r"(?:FAILED|ERROR)\s+(?P<pytest>\S+::\S+)|--- FAIL: (?P<go>\S+)|(?:FAIL|ERROR): (?P<unit>test\w+)"
    r"|test (?P<cargo>\S+) \.\.\. FAILED|[✕✗×] (?P<js>\S.{1,80})|● (?P<jest>\S.{1,80})"
)
_GO_PACKAGE = regex.compile(r"(ok|FAIL)\s+\S+[./]\S+\s+(?:[\d.]+s|\(cached\)|\[)")
#: Closing lines of other tools, the most informative first.
_LINES = tuple(
    regex.compile(pattern, regex.IGNORECASE)
    for pattern in (
        r"^(?:Apply|Destroy) complete!",
        r"^Plan: \d+ to add|^No changes\. ",
        r"\b\d+ files? changed\b",
        r"^Found \d+ (?:errors?|issues?|problems?|vulnerabilit\w+)|\bfound \d+ vulnerabilit\w+",
        r"^All checks passed|^Success: no issues",
        r"^\[\S+(?: \([\w-]+\))? [0-9a-f]{7,40}\] ",
        r"\b[0-9a-f]{7,40}\.\.[0-9a-f]{7,40}\s+\S+ -> \S+|! \[rejected\]",
        r"^Successfully (?:installed|built|tagged|uninstalled|uploaded|deployed)\b",
        r"\bBUILD (?:SUCCESSFUL|FAILED|SUCCESS|FAILURE)\b|^Build (?:succeeded|failed|completed)",
        r"^(?:added|changed|removed|up to date)\b.{0,60}\bpackages?\b",
        r"\b\d+ files? (?:reformatted|would be reformatted|left unchanged)",
        r"^Your branch is |^nothing to commit|^Already up to date|^Fast-forward|^CONFLICT ",
        r"\b(?:deployment|statefulset|daemonset)\S* .*(?:successfully rolled out|condition)",
        r"\bpackets transmitted\b",
        r"^Finished .*(?:target|in \d)|^Compiled successfully|\bbuilt in \d",
    )
)
_AFFECTED = regex.compile(
    r"\((\d+) rows?\)|\b(\d+) rows? (?:in set|affected|returned|selected|fetched|updated|inserted|deleted)"
    r"|^(?:INSERT \d+|UPDATE|DELETE|SELECT|MERGE|COPY) (\d+)$|\brows?(?: returned| affected| fetched)?: (\d+)",
    regex.IGNORECASE | regex.MULTILINE,
)
_EMPTY_SET = regex.compile(
    r"^(?:Empty set|no rows|\(no rows\)|0 rows?)\b", regex.IGNORECASE | regex.MULTILINE
)
_NAMES = 2
_NEAR = 3


def test_report(text: str) -> str | None:
    """Return `2 failed, 31 passed; failed: tests/test_a.py::test_b` from the output of a test runner or linter."""
    lines = edge_lines(text)
    digest = _unittest(lines) or _test_counts(lines) or _go_test_report(lines)
    if not digest:
        return None
    names = list(dict.fromkeys(_failed_names(lines)))
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{digest}; failed: {', '.join(names[:_NAMES])}{more}" if names else digest


def closing_line(text: str) -> str | None:
    """Return the line that a build, an installer or a version control tool ends with."""
    lines = [one_line(line) for line in edge_lines(text) if line.strip() and len(line) < 1_000]
    for pattern in _LINES:
        for line in reversed(lines):
            if pattern.search(line):
                return line if len(line) <= 140 else quoted(line, 140)
    return None


def rows_affected(text: str) -> str | None:
    """Return `37 rows` where a database's client says how many there were."""
    text = "\n".join(edge_lines(text))
    found = _AFFECTED.findall(text)
    if found:
        number = int(next(filter(None, found[-1])))
        return counted(number, "rows")
    return "0 rows" if _EMPTY_SET.search(text) else None


def _test_counts(lines: Sequence[str]) -> str:
    """Return the counts of the last lines that report some, with adjacent lines joined."""
    told: list[str] = []
    last = None
    for place in range(len(lines) - 1, -1, -1):
        if last is not None and last - place > _NEAR:
            break
        pairs = _pairs(lines[place]) if len(lines[place]) < 1_000 else []
        if not pairs or not any(noun.lower() in _TELLING for _, noun in pairs):
            continue
        line = ", ".join(f"{number} {_of(number, noun.lower())}" for number, noun in pairs)
        if lines[place].lstrip().startswith("Tests"):
            # Prefer the tally of tests to others, such as a tally of files.
            return line
        told.insert(0, line)
        last = place
    return ", ".join(dict.fromkeys(told[-_NEAR:]))


def _pairs(line: str) -> list[tuple[str, str]]:
    first = [(match[1], match[2]) for match in _NUMBER_FIRST.finditer(line)]
    last = [(match[2], match[1]) for match in _NUMBER_LAST.finditer(line)]
    return first if len(first) >= len(last) else last


def _of(number: str, noun: str) -> str:
    return noun.removesuffix("s") if number == "1" else noun


def _unittest(lines: Sequence[str]) -> str:
    for place, line in enumerate(lines):
        if match := _RAN.match(line):
            verdict = next(
                (each for each in lines[place + 1 :] if _VERDICT.fullmatch(each.strip())), ""
            )
            return f"{counted(int(match[1]), 'tests')}: {verdict.strip()}" if verdict else ""
    return ""


def _go_test_report(lines: Sequence[str]) -> str:
    packages = [match[1] for line in lines if (match := _GO_PACKAGE.match(line))]
    failed = sum(1 for line in lines if line.lstrip().startswith("--- FAIL: "))
    passed = sum(1 for line in lines if line.lstrip().startswith("--- PASS: "))
    tests = [
        f"{number} {word}" for number, word in ((failed, "failed"), (passed, "passed")) if number
    ]
    if tests:
        return ", ".join(tests)
    if not packages:
        return ""
    ok = packages.count("ok")
    told = [f"{counted(ok, 'packages')} ok"] if ok else []
    return ", ".join([*told, *([f"{len(packages) - ok} failed"] if ok < len(packages) else [])])


def _failed_names(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if len(line) < 1_000 and (match := _FAILED_NAME.match(line.strip())):
            yield next(filter(None, match.groups())).rstrip(":")
