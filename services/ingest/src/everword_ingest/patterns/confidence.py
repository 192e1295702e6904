"""How far a pattern is trusted, from how often it was right. Pure."""

from __future__ import annotations

import math

#: The quantile of the normal distribution that 95 % lie below.
Z = 1.645
#: Default threshold; eleven agreeing occurrences in a row reach it.
DEFAULT_THRESHOLD = 0.8


def confidence(occurrences: int, disagreements: int) -> float:
    """Return the share of cases in which a pattern is right, as a lower bound with a probability of 95 %.

    This is the lower end of the one-sided Wilson score interval (E. B. Wilson, 1927). It is low with few outcomes, even
    if all agree; it rises with each agreeing outcome, and falls with each disagreeing one.
    """
    number = occurrences + disagreements
    if not occurrences:
        return 0.0
    share, square = occurrences / number, Z * Z
    middle = share + square / (2 * number)
    spread = Z * math.sqrt((share * (1 - share) + square / (4 * number)) / number)
    return max(0.0, (middle - spread) / (1 + square / number))


def explain(
    approved: bool, level: float, threshold: float, occurrences: int, disagreements: int, where: str
) -> str:
    """Return in a sentence why a pattern may be used without asking, or not."""
    if not occurrences:
        return f"Nothing is known that could be used; {threshold:.2f} is needed ({where})."
    of = occurrences + disagreements
    reached = "reaches" if approved else "is below"
    return (
        f"It was right in {occurrences} of {of}, so that its confidence of {level:.3f} {reached} "
        f"the threshold of {threshold:.2f} ({where})."
    )
