"""Times of each named statement in the database itself: its own log, switched on while something is asked.

It tells the bare SQL of the very statements that a call makes, with the very parameters, whatever those are by now.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import LiteralString

from everword.bench.metrics import percentile
from everword.bench.speed.bench_stack import BenchStack
from everword.db.statements import parse_statements
from everword.embedded.process import log_path

#: Packages whose statements are distinguished; the services are not installed with the library alone.
PACKAGES = ("everword.db", "everword_search")
#: Prefixes of the names of each arm's statements.
ARMS = {
    "lexical": ("find_lexical", "lexical_", "find_postings", "read_postings"),
    "semantic": ("find_semantic", "semantic_"),
    "trigram": ("find_trigram", "find_similar_tokens", "find_near_words"),
}
#: Separator between calls in the log.
_MARK = "everword speed: next call"
_LINE = re.compile(
    r"duration: (?P<ms>[\d.]+) ms  (?:parse|bind|execute|statement)[^:]*: (?P<sql>.*?)"
    r"(?=\n\d{4}-\d\d-\d\d \d\d:|\Z)",
    re.DOTALL,
)
_PLACE = re.compile(r"%\(\w+\)[sb]|\$\d+|:generation|(?<=_vectors_)\d+")


@dataclass
class Recording:
    """Milliseconds of each statement, by name, call by call."""

    calls: list[Mapping[str, float]] = field(default_factory=list)

    def p(self, share: float, names: Iterable[str]) -> float:
        """Return a percentile, over calls, of what some statements took together."""
        requested = set(names)
        sums = [sum(ms for name, ms in call.items() if name in requested) for call in self.calls]
        return percentile(sums, share) or 0.0

    @property
    def names(self) -> set[str]:
        return {name for call in self.calls for name in call}

    def slowest_arm(self) -> tuple[str, float]:
        """Return the arm whose statements take longest, and the median of that in milliseconds."""
        medians = {
            arm: self.p(0.5, {name for name in self.names if name.startswith(prefixes)})
            for arm, prefixes in ARMS.items()
        }
        return max(medians.items(), key=lambda each: each[1])

    def from_memory(self) -> float:
        """Return the share of searches that asked the database for nothing by words or by meaning."""
        asking = (*ARMS["lexical"], *ARMS["semantic"])
        answered = [not any(name.startswith(asking) for name in call) for call in self.calls]
        return sum(answered) / len(answered) if answered else 0.0

    def whole(self, share: float) -> float:
        """Return a percentile, over calls, of the milliseconds that all statements of a call took together."""
        return self.p(share, self.names)

    def details(self) -> dict[str, float]:
        """Return the median milliseconds per call of the slowest statements, at most 12, slowest first."""
        medians = {name: round(self.p(0.5, [name]), 3) for name in self.names}
        ranked = sorted(medians.items(), key=lambda each: -each[1])
        return {name: ms for name, ms in ranked[:12] if ms > 0}


@asynccontextmanager
async def recorded(bench: BenchStack) -> AsyncIterator[Recording]:
    """Record what calls make the database do while the block lasts; `next_call` separates them."""
    path = log_path(bench.folder / "logs", "postgres")
    recording = Recording()
    begun = path.stat().st_size
    _configure(bench, "ALTER SYSTEM SET log_min_duration_statement = 0")
    try:
        yield recording
    finally:
        _configure(bench, "ALTER SYSTEM RESET log_min_duration_statement")
    with path.open(encoding="utf-8", errors="replace") as file:
        file.seek(begun)
        recording.calls.extend(_calls(file.read()))


def next_call(bench: BenchStack) -> None:
    """Write a separator to the log: the following statements belong to the next call."""
    _configure(bench, f"DO $$ BEGIN RAISE LOG '{_MARK}'; END $$")


def _configure(bench: BenchStack, statement: LiteralString | str) -> None:
    with bench.connect() as conn:
        conn.execute(statement.encode())
        if statement.startswith("ALTER"):
            conn.execute("SELECT pg_reload_conf()")


def _calls(log: str) -> Iterator[Mapping[str, float]]:
    known = _statement_names()
    # Statements before the first separator belong to calls from before the recording.
    for part in log.split(f"LOG:  {_MARK}")[1:]:
        elapsed: dict[str, float] = defaultdict(float)
        for line in _LINE.finditer(part):
            # A statement's own lines are indented; its parameters come after.
            name = known.get(_normal(line["sql"].split("DETAIL:  Parameters")[0]))
            if name:
                elapsed[name] += float(line["ms"])
        yield dict(elapsed)


def _statement_names() -> dict[str, str]:
    found = [spec for spec in map(find_spec, PACKAGES) if spec]
    places = [place for spec in found for place in spec.submodule_search_locations or ()]
    return {
        _normal(statement.sql.replace("%%", "%")): name
        for place in places
        for queries in Path(place).rglob("queries.sql")
        for name, statement in parse_statements(queries.read_text(encoding="utf-8")).items()
    }


def _normal(statement: str) -> str:
    """Return a statement without its parameters, spaces and the log's own prefixes."""
    text = re.sub(r"\n\d{4}-\d\d-\d\d \d\d:\S+ \S+ \[\d+\] *$", "", statement)
    text = re.sub(r"--[^\n]*", "", text)
    return " ".join(_PLACE.sub("?", text).split()).rstrip("; ")
