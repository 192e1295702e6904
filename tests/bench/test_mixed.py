"""Notes written by `make bench-mixed`."""

from __future__ import annotations

from bench.mixed_kinds import paragraphs


def test_paragraphs_of_suitable_length_are_returned_once() -> None:
    fits, short, long = "A heron stood in the pond. " * 4, "Too short.", "Too long. " * 90
    again = f"{long}\n\n{fits}\n"
    assert list(paragraphs([f"{short}\n\n{fits}\n  \n{long}", again])) == [fits.strip()]
