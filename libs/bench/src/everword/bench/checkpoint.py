"""The finished part of a run, in a file next to the result, so that an interrupted run can continue."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class FinishedDataset:
    """A dataset that was asked everything."""

    set: str
    dataset: str
    #: False if vectors were missing.
    embedded: bool
    rows: list[Row]
    #: Figures of the summaries of its conversations; None if no summaries were requested.
    compacted: Row | None = None


class Checkpoint:
    """Finished datasets, one per line. Without a path nothing is stored.

    `identity` describes the run: its code, model, data and variants. A file of another run is overwritten.
    """

    def __init__(self, path: Path | None, identity: dict[str, Any]) -> None:
        self._path = path
        self._identity = identity
        #: Part of the names of this run's namespaces, the same when it goes on.
        self.run = secrets.token_hex(4)
        self.finished: list[FinishedDataset] = []
        #: True if a file of another run was discarded.
        self.discarded = False

    def open(self) -> None:
        """Take over what an equal run has finished."""
        if self._path is None:
            return
        retained = _lines(self._path)
        if retained and retained[0].get("identity") == self._identity:
            self.run = retained[0]["run"]
            self.finished = [FinishedDataset(**each) for each in retained[1:]]
        else:
            self.discarded = len(retained) > 1
        lines = [{"identity": self._identity, "run": self.run}, *map(vars, self.finished)]
        # Drop a line that was written in part when the run was interrupted.
        self._path.write_text("".join(map(_line, lines)), encoding="utf-8")

    def add(self, finished: FinishedDataset) -> None:
        self.finished.append(finished)
        if self._path is None:
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(vars(finished)))
            file.flush()
            os.fsync(file.fileno())


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a file; a last line that was not finished is left out."""
    if not path.exists():
        return []
    lines: list[dict[str, Any]] = []
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            value = json.loads(text)
        except json.JSONDecodeError:
            break
        if not isinstance(value, dict):
            break
        lines.append(value)
    return lines
