"""Vectors are returned only if they match the request."""

from __future__ import annotations

import numpy as np
import pytest

from everword_embedder.providers.errors import ProviderMisconfigured, WrongAnswer
from everword_embedder.providers.vectors import from_bytes, to_bytes, unit_vectors


def test_unit_vectors_normalises_length_and_keeps_direction() -> None:
    given = np.array([[3, 4], [0, -2]], np.float32)
    expected = np.array([[0.6, 0.8], [0, -1]])
    np.testing.assert_allclose(unit_vectors(given, 2, 2, False), expected, rtol=1e-6)


def test_unit_vectors_truncates_matryoshka_vectors_and_normalises_them() -> None:
    given = np.array([[3, 4, 12]], np.float32)
    np.testing.assert_allclose(unit_vectors(given, 1, 2, True), [[0.6, 0.8]], rtol=1e-6)


@pytest.mark.parametrize(
    ("dimensions", "matryoshka"), [(3, False), (5, False), (5, True)], ids=["long", "short", "cut"]
)
def test_unit_vectors_with_wrong_dimensions_raises_misconfigured(
    dimensions: int, matryoshka: bool
) -> None:
    with pytest.raises(ProviderMisconfigured, match=f"4 dimensions instead of {dimensions}"):
        unit_vectors(np.ones((1, 4), np.float32), 1, dimensions, matryoshka)


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_unit_vectors_refuses_zero_or_non_finite_vectors(value: float) -> None:
    given = np.array([[1, 0], [0, value]], np.float32)
    with pytest.raises(WrongAnswer, match="zero or contains a value that is not a number"):
        unit_vectors(given, 2, 2, False)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_unit_vectors_refuses_a_wrong_number_of_vectors(rows: int) -> None:
    with pytest.raises(WrongAnswer, match=f"{rows} vectors were returned for 2 texts"):
        unit_vectors(np.ones((rows, 2), np.float32), 2, 2, False)


def test_unit_vectors_of_largest_floats_does_not_overflow() -> None:
    largest = np.finfo(np.float32).max
    given = np.array([[largest, largest]], np.float32)
    np.testing.assert_allclose(unit_vectors(given, 1, 2, False), [[0.5**0.5] * 2], rtol=1e-6)


def test_vector_bytes_are_little_endian_float32() -> None:
    assert to_bytes(np.array([1.0, -2.0], np.float32)) == b"\x00\x00\x80\x3f\x00\x00\x00\xc0"
    np.testing.assert_array_equal(from_bytes(b"\x00\x00\x80\x3f\x00\x00\x00\xc0"), [1.0, -2.0])
