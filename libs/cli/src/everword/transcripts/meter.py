"""Records the progress of reading a file, and its skipped records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from everword.transcripts.errors import RecordError

#: Maximum listed skipped records; further ones are only counted.
MOST_NAMED = 1000
#: Python's errors for values of a wrong type that a reader does not check.
_MALFORMED = (
    LookupError,
    TypeError,
    AttributeError,
    ValueError,
    ArithmeticError,
    RecursionError,
)


@dataclass(frozen=True)
class SkippedRecord:
    """A record that was not imported, because it is malformed or because the server refused it."""

    place: str
    reason: str


@dataclass
class Meter:
    """The progress of reading a file, and its skipped and left-out records."""

    #: Bytes, rows or checkpoints.
    total: int = 0
    done: int = 0
    #: The current place in the file, for errors.
    at: str = ""
    #: Number of well-formed records that were left out on purpose, by reason.
    skipped: Counter[str] = field(default_factory=Counter)
    #: Raise the error of the first malformed record instead of skipping that record.
    strict: bool = False
    #: The first malformed records, in the order of the file.
    skipped_records: list[SkippedRecord] = field(default_factory=list)
    #: The number of all malformed records.
    records_skipped: int = 0

    def skip_record(self, error: RecordError) -> None:
        """Count a record as skipped. Raises `error` if reading is strict."""
        if self.strict:
            raise error
        self.records_skipped += 1
        if len(self.skipped_records) < MOST_NAMED:
            self.skipped_records.append(SkippedRecord(error.place, error.reason))

    @contextmanager
    def skipping(self, place: str) -> Iterator[None]:
        """Skip the record at `place` if the statements inside raise an error for it."""
        try:
            yield
        except RecordError as error:
            self.skip_record(error)
        except _MALFORMED as error:
            self.skip_record(RecordError(place, _reason(error)))


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return f"it is malformed ({type(error).__name__}: {error})"
