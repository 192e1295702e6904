"""ASCII texts that combine, in all orders, the characters by which words, times, literals and signs are recognised."""

from __future__ import annotations

import random
import string

PIECES = (
    *(
        "I'm",
        "don't",
        "'quoted'",
        "''",
        "years'",
        "O'Brien's",
        "x-",
        "-y",
        "re-open",
        "--",
        "a_b",
        "_x",
        "__",
    ),
    *(
        "today",
        "Today",
        "weekend",
        "lastly",
        "last",
        "year",
        "years",
        "3rd",
        "2023",
        "20",
        "I",
        "me",
        "My",
        "mE",
    ),
    *(
        "auth.rs",
        "camelCase",
        "ABC",
        "a:b",
        "C#",
        "a@b",
        "a\\b",
        "1.2.3",
        "?",
        "!?",
        "\n",
        "\t",
        "word",
    ),
    *("http://", "xHTTPS://", "[Image", "[imagine", "![", "``", "```", "`"),
    *("11TH", "2nd", "21st", "12st4", "th", "20 23", "12345", "Me", "MY", "i", "B2", "aB"),
)
BETWEEN = ("", " ", "  ", ", ", ". ", "'", "-", "_")
# Both implementations must treat a blob alike; it contains nothing that is counted.
BLOB = "z" * 201


def texts() -> list[str]:
    """Return about six thousand texts, the same in each run."""
    chance = random.Random(20261122)
    characters = string.printable + "'-_ " * 5
    random_ones = ["".join(chance.choices(characters, k=chance.randrange(60))) for _ in range(3000)]
    composed = [
        chance.choice(BETWEEN).join(chance.choices(PIECES, k=chance.randrange(30)))
        for _ in range(3000)
    ]
    long = [" ".join(chance.choices(PIECES, k=600)) for _ in range(20)]
    return ["", " ", BLOB, f"my {BLOB} today", *random_ones, *composed, *long]
