"""Arrays in the binary form in which Postgres sends and takes them, to and from numpy.

Element by element, Python would take longer over an array of some hundred elements than Postgres over the statement. A
statement returns `array_send(…)` of an array without NULL, and takes a parameter as `%(name)b`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import pq
from psycopg.adapt import Dumper

Array = npt.NDArray[Any]
INT8, UUID_ = np.dtype(">i8"), np.dtype("S16")
# Dimensions, whether there are NULLs, type of the elements, length and lower bound of the one dimension.
_HEADER = struct.Struct(">iiIii")
#: An array without elements has no dimension, and its header ends before that.
_NO_DIMENSION = 12


@dataclass(frozen=True, eq=False)
class ArrayParameter:
    """An array as a parameter: of `bigint` for integers, of `uuid` for `S16`."""

    values: Array


@dataclass(frozen=True, eq=False)
class HalfvecParameter:
    """A vector as a parameter of pgvector's type `halfvec`, float32."""

    values: npt.NDArray[np.float32]


def read_array(binary: bytes, element: str) -> Array:
    """Return an array of a numpy type such as `i8`, `f8`, `?`, and `S16` for `uuid`."""
    kind = np.dtype(element).newbyteorder(">")
    if len(binary) <= _NO_DIMENSION:
        return np.zeros(0, element)
    framed = np.frombuffer(binary, [("length", ">i4"), ("value", kind)], offset=_HEADER.size)
    return framed["value"].astype(element)


def uuids_of(values: Array) -> list[UUID]:
    """Return the UUIDs of an array of `S16`, which forgets zeros at the end."""
    return [UUID(bytes=value.ljust(16, b"\0")) for value in values.tolist()]


def array_of_uuids(values: list[UUID]) -> Array:
    """Return an array of `S16`."""
    return np.array([value.bytes for value in values], UUID_)


class _ArrayDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: ArrayParameter) -> bytes:
        element = UUID_ if obj.values.dtype.kind == "S" else INT8
        framed = np.empty(len(obj.values), [("length", ">i4"), ("value", element)])
        framed["length"], framed["value"] = element.itemsize, obj.values
        oid = psycopg.adapters.types["uuid" if element is UUID_ else "int8"].oid
        return _HEADER.pack(1, 0, oid, len(framed), 1) + framed.tobytes()


class _HalfvecDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: HalfvecParameter) -> bytes:
        return struct.pack(">hh", len(obj.values), 0) + obj.values.astype(">f2").tobytes()


# Their types have no number that is the same everywhere, or follow from the statement: so it has to say them.
psycopg.adapters.register_dumper(ArrayParameter, _ArrayDumper)
psycopg.adapters.register_dumper(HalfvecParameter, _HalfvecDumper)
