"""The BM25 formula as in Lucene."""

from __future__ import annotations

import math

#: Saturation of term frequency.
K1 = 0.9
#: Strength of length normalisation.
B = 0.4


def inverse_document_frequency(passages: float, document_frequency: float) -> float:
    """Return the weight of a term: ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1 + (passages - document_frequency + 0.5) / (document_frequency + 0.5))


def term_score(idf: float, frequency: float, length: float, mean_length: float) -> float:
    """Return one term's contribution to a passage's BM25.

    The order of operations is that of the statement `find_lexical`.
    """
    return idf * frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / mean_length))
