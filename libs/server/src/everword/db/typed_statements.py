"""Statements as typed functions: a function without a body runs the named statement with its arguments.

    @statement(SQL)
    async def lock_note(conn: Connection, namespace_id: int, note_id: UUID) -> LockedNote | None:
        "Lock a note until the end of the transaction."

Its parameters are the placeholders of the SQL, which are compared at import; a parameter that is a dataclass gives a
placeholder for each of its fields. The return type decides the result:

| return type          | result                                                              |
|----------------------|---------------------------------------------------------------------|
| `None`               | nothing; in a pipeline an error surfaces at the next result         |
| `list[Row]`          | all rows                                                            |
| `Row`, `Row | None`   | the first row; without `None`, a missing row raises LookupError     |
| anything else        | the first column of the first row, None if there is no row          |

`Row` is a dataclass with a field for each column. A function that is not `async` takes a blocking connection.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar

from everword.db import blocking, statements
from everword.db.statements import Statement

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PLACEHOLDER = re.compile(r"(?<!%)%\((\w+)\)s")


def statement(
    catalogue: Mapping[str, Statement], name: str = ""
) -> Callable[[_Function], _Function]:
    """Return a decorator: the function runs the statement `name` of `catalogue`, by default the one of its own name."""

    def decorate(declared: _Function) -> _Function:
        signature = _Signature(declared)
        named = name or declared.__name__
        signature.check(catalogue[named])
        run: Any = _run_async if inspect.iscoroutinefunction(declared) else _run_blocking

        @wraps(declared)
        def call(conn: Any, *args: Any, **kwargs: Any) -> Any:
            # Looked up at each call: tests replace statements.
            return run(conn, catalogue[named], signature, signature.parameters(args, kwargs))

        return typing.cast(_Function, call)

    return decorate


class _Signature:
    """The parameters and the return type of a declaration; types are resolved when they are first needed."""

    def __init__(self, declared: Callable[..., Any]) -> None:
        self._declared = declared
        self._names, self._defaults = list[str](), dict[str, Any]()
        for parameter in list(inspect.signature(declared).parameters.values())[1:]:
            self._names.append(parameter.name)
            if parameter.default is not inspect.Parameter.empty:
                self._defaults[parameter.name] = parameter.default

    @cached_property
    def _types(self) -> dict[str, Any]:
        return typing.get_type_hints(self._declared)

    @cached_property
    def returned(self) -> Any:
        """The return type without `None`."""
        return _without_none(self._types["return"])

    @cached_property
    def is_optional(self) -> bool:
        return type(None) in typing.get_args(self._types["return"])

    @cached_property
    def row(self) -> type[Any] | None:
        """The dataclass of a row; None if a single value is read."""
        [returned, *_] = typing.get_args(self.returned) or [self.returned]
        return returned if is_dataclass(returned) and isinstance(returned, type) else None

    @cached_property
    def returns_list(self) -> bool:
        return typing.get_origin(self.returned) in (list, Sequence)

    @cached_property
    def _groups(self) -> frozenset[str]:
        """The parameters that are dataclasses."""
        return frozenset(each for each in self._names if is_dataclass(self._types[each]))

    def parameters(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        given = {**self._defaults, **dict(zip(self._names, args, strict=False)), **kwargs}
        if len(args) > len(self._names) or given.keys() != set(self._names):
            raise TypeError(f"{self._declared.__name__} takes {', '.join(self._names)}")
        parameters: dict[str, Any] = {}
        for name, value in given.items():
            if name in self._groups:
                parameters |= vars(value)
            else:
                # psycopg passes a tuple as a row, and knows no sets.
                parameters[name] = list(value) if isinstance(value, _ARRAYS) else value
        return parameters

    def check(self, statement: Statement) -> None:
        """Raise TypeError for a placeholder without a parameter or field, and for a parameter without a placeholder."""
        requested = set(_PLACEHOLDER.findall(statement.sql))
        declared = set[str]()
        for name in self._names:
            if name in requested:
                declared.add(name)
                continue
            kind = self._types[name]
            if not is_dataclass(kind):
                raise TypeError(f"statement {statement.name} has no parameter {name}")
            declared |= {field.name for field in fields(kind)}
        if requested - declared:
            raise TypeError(f"statement {statement.name} lacks {', '.join(requested - declared)}")


_ARRAYS = (tuple, set, frozenset)


def _without_none(type_: Any) -> Any:
    if typing.get_origin(type_) not in (types.UnionType, typing.Union):
        return type_
    [one] = [each for each in typing.get_args(type_) if each is not type(None)]
    return one


async def _run_async(conn: Any, statement: Statement, signature: _Signature, given: Any) -> Any:
    if signature.returned is type(None):
        return await statements.execute(conn, statement, given)
    if signature.row is None:
        return await statements.fetch_value(conn, statement, given)
    if signature.returns_list:
        return await statements.fetch_all(conn, statement, given, signature.row)
    row = await statements.fetch_optional(conn, statement, given, signature.row)
    return _existing(row, statement, signature)


def _run_blocking(
    conn: blocking.Connection, statement: Statement, signature: _Signature, given: Any
) -> Any:
    if signature.returned is type(None):
        blocking.execute(conn, statement, given)
        return None
    if signature.row is None:
        return blocking.fetch_value(conn, statement, given)
    if signature.returns_list:
        return blocking.fetch_all(conn, statement, given, signature.row)
    row = blocking.fetch_optional(conn, statement, given, signature.row)
    return _existing(row, statement, signature)


def _existing(row: Any, statement: Statement, signature: _Signature) -> Any:
    if row is None and not signature.is_optional:
        raise LookupError(f"statement {statement.name} returned no row")
    return row
