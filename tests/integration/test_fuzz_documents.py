"""The short form of `make test-fuzz-documents`."""

from __future__ import annotations

from fuzz.documents import run
from fuzz.files import samples

FILES = 50
SEED = 20261125


async def test_damaged_files_are_read_or_refused_and_end_nothing_but_their_parser() -> None:
    outcome = await run(FILES, SEED, lambda made: None)
    assert outcome.faults == [], f"seed {SEED}: {outcome.faults[:5]}"
    assert outcome.files == FILES
    # Else all would be refused before anything is read.
    read = {name for name, result in outcome.results if result == "READ"}
    assert len(read & set(samples())) >= 6
    assert {result for _, result in outcome.results} >= {"READ", "MALFORMED", "MISNAMED"}
