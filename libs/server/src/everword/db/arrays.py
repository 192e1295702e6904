"""Arrays in the binary form in which Postgres sends and takes them, to and from numpy and lists.

Element by element, Python would take longer over an array of some hundred elements than Postgres over the statement. A
statement returns `array_send(…)` of an array without NULL, and takes a parameter as `%(name)b`, whose type it says.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import pq
from psycopg.adapt import Dumper

Array = npt.NDArray[Any]
INT8, FLOAT4, UUID_ = np.dtype(">i8"), np.dtype(">f4"), np.dtype("S16")
# Dimensions, whether there are NULLs, type of the elements, length and lower bound of the one dimension.
_HEADER = struct.Struct(">iiIii")
#: An array without elements has no dimension, and its header ends before that.
_NO_DIMENSION = 12


@dataclass(frozen=True, eq=False)
class ArrayParameter:
    """An array as a parameter: of `bigint` for integers, of `real` for floats, of `uuid` for `S16`."""

    values: Array


@dataclass(frozen=True, eq=False)
class Column:
    """A list as a parameter: an array of a type in `_FRAMES`, whose elements may be None.

    Its type does not depend on its elements, so that a statement is prepared once, whatever its values.
    """

    type: str
    values: Sequence[Any]


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


def array_literal(values: Sequence[str]) -> str:
    """Return an array of texts as Postgres writes it, for an array whose elements are arrays of different lengths."""
    escaped = [value.replace("\\", "\\\\").replace('"', '\\"') for value in values]
    return "{" + ",".join([f'"{value}"' for value in escaped]) + "}"


def uuids_of(values: Array) -> list[UUID]:
    """Return the UUIDs of an array of `S16`, which forgets zeros at the end."""
    return [UUID(bytes=value.ljust(16, b"\0")) for value in values.tolist()]


def array_of_uuids(values: Sequence[UUID]) -> Array:
    """Return an array of `S16`."""
    return np.array([value.bytes for value in values], UUID_)


#: How an element is sent, and the type that it has there, by numpy's kind.
_ELEMENTS: dict[str, tuple[np.dtype[Any], str]] = {
    "i": (INT8, "int8"),
    "f": (FLOAT4, "float4"),
    "S": (UUID_, "uuid"),
}


class _ArrayDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: ArrayParameter) -> bytes:
        element, name = _ELEMENTS[obj.values.dtype.kind]
        framed = np.empty(len(obj.values), [("length", ">i4"), ("value", element)])
        framed["length"], framed["value"] = element.itemsize, obj.values
        oid = psycopg.adapters.types[name].oid
        return _HEADER.pack(1, 0, oid, len(framed), 1) + framed.tobytes()


def _framed(value: bytes) -> bytes:
    return _LENGTH.pack(len(value)) + value


def _json(value: object) -> bytes:
    # Unescaped, because escapes of non-ASCII text take up to three times its bytes.
    return _framed(b"\x01" + json.dumps(value, ensure_ascii=False).encode())


def _moment(value: datetime) -> bytes:
    return _INT8.pack(8, (value - _EPOCH) // _MICROSECOND)


_LENGTH, _INT2, _INT4 = struct.Struct(">i"), struct.Struct(">ih"), struct.Struct(">ii")
_INT8, _BOOL = struct.Struct(">iq"), struct.Struct(">i?")
_NULL = _LENGTH.pack(-1)
#: From where Postgres counts microseconds.
_EPOCH, _MICROSECOND = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
#: Binary form of an element of each type: its length, and the input of PostgreSQL's receiving function.
_FRAMES: dict[str, Callable[[Any], bytes]] = {
    "text": lambda value: _framed(value.encode()),
    "bytea": _framed,
    "uuid": lambda value: _framed(value.bytes),
    "int2": lambda value: _INT2.pack(2, value),
    "int4": lambda value: _INT4.pack(4, value),
    "int8": lambda value: _INT8.pack(8, value),
    "bool": lambda value: _BOOL.pack(1, value),
    "date": lambda value: _INT4.pack(4, (value - _EPOCH.date()).days),
    "timestamptz": _moment,
    "jsonb": _json,
}


class _ColumnDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: Column) -> bytes:
        values, frame = obj.values, _FRAMES[obj.type]
        oid = psycopg.adapters.types[obj.type].oid
        if not values:
            return _HEADER.pack(0, 0, oid, 0, 1)[:_NO_DIMENSION]
        first = values[0]
        # Most columns of rows stored together are constant. Equality is not enough for JSON: 1 equals true.
        is_plain = obj.type != "jsonb" or first is None
        if is_plain and values.count(first) == len(values):
            framed = (_NULL if first is None else frame(first)) * len(values)
        else:
            framed = b"".join([_NULL if value is None else frame(value) for value in values])
        return _HEADER.pack(1, 0, oid, len(values), 1) + framed


class _HalfvecDumper(Dumper):
    format = pq.Format.BINARY

    def dump(self, obj: HalfvecParameter) -> bytes:
        return struct.pack(">hh", len(obj.values), 0) + obj.values.astype(">f2").tobytes()


# Their types have no number that is the same everywhere, or follow from the statement: so it has to say them.
psycopg.adapters.register_dumper(ArrayParameter, _ArrayDumper)
psycopg.adapters.register_dumper(Column, _ColumnDumper)
psycopg.adapters.register_dumper(HalfvecParameter, _HalfvecDumper)
