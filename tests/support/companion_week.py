"""A week of talk between a person and a companion: 56 messages on ten subjects, and a question on each."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent


class Said(NamedTuple):
    """A message with its subject."""

    author: str
    subject: str
    text: str


class Asked(NamedTuple):
    """A question on a subject, with words that its answer contains."""

    text: str
    subject: str
    answer: str


def _read_week() -> tuple[tuple[Said, ...], ...]:
    days = (_HERE / "histories" / "companion_week.txt").read_text().strip().split("\n\n")
    return tuple(tuple(Said(*line.split(" | ", 2)) for line in day.split("\n")) for day in days)


#: The messages of each day.
WEEK = _read_week()

QUESTIONS = (
    Asked("Until when does the boat lie in the marina of Izola?", "boat", "end of October"),
    Asked("How much do the new glow plugs for the engine of Nerina cost?", "boat", "hundred and forty euros"),
    Asked("What does the new ceramic crown at the dentist cost?", "dentist", "four hundred and eighty euros"),
    Asked("Where does my sister Petra get married?", "wedding", "castle above Celje"),
    Asked("What did Petra do with the earrings when she was six?", "wedding", "flea market"),
    Asked("Why did my knee hurt after running?", "marathon", "shoes are worn out"),
    Asked("How long did the rehearsal of the billing database cutover take?", "work", "five hours and twenty minutes"),
    Asked("Which medicine does the cat get from the vet?", "cat", "antibiotics"),
    Asked("What piece did Mrs Novak give me to practise on the piano?", "piano", "Gymnopédie"),
    Asked("Which part of Lisbon is our flat in?", "lisbon", "Alfama"),
    Asked("Why did my rye bread come out flat?", "cooking", "overproofed"),
    Asked("What should I do about the brown spots on the tomatoes?", "garden", "lower leaves"),
)  # fmt: skip
