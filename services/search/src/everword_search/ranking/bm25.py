"""The BM25 formula in Lucene's form."""

from __future__ import annotations

import math

#: Saturation of repeated terms.
K1 = 0.9
#: How much long passages are held back.
B = 0.4


def inverse_document_frequency(passages: float, document_frequency: float) -> float:
    """Return how much a term tells: ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1 + (passages - document_frequency + 0.5) / (document_frequency + 0.5))


def term_score(idf: float, frequency: float, length: float, mean_length: float) -> float:
    """Return one term's part of a passage's BM25; the operations are in the order of find_lexical's."""
    return idf * frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / mean_length))
