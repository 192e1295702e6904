"""Counts the fields of a request before it is parsed.

A message without fields is two bytes on the wire and a hundred in memory, and rules are checked for each of them: the
cost of a request follows from its number of fields rather than from its bytes. Counting stops at the limit.
"""

from __future__ import annotations

from typing import Any

from everword.admission.limits import MAX_LEVELS, FieldPlan, MessagePlan, RequestLimits

Violation = tuple[str, str]
#: As deep as protobuf itself goes.
_MAX_DEPTH = 100
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_SIZES = {_FIXED64: 8, _FIXED32: 4}
#: A number has at most this many bytes.
_VARINT_BYTES = 10
#: Bytes after which a number goes on.
_GOES_ON = bytes(range(0x80, 0x100))


class MalformedError(ValueError):
    """Bytes that are no protobuf."""


class _LimitFound(Exception):
    """So much was found that the rest does not matter."""


def count_fields(raw: bytes, limits: RequestLimits, maximum: int) -> tuple[int, list[Violation]]:
    """Return how many fields are set in a request, and what of it is too many, too large, too deep, or NUL.

    At most `maximum` violations are looked for. Raises MalformedError.
    """
    scan = _Scan(raw, limits.max_fields, maximum)
    try:
        scan.message(_FieldPlace(None, None, 0), 0, len(raw), limits.plan, {})
    except IndexError as error:
        raise MalformedError from error
    except _LimitFound:
        pass
    return scan.fields, scan.violations


class _FieldPlace:
    """A message's place in the request. Its path is put together for an error alone."""

    __slots__ = ("around", "depth", "field", "index", "levels")

    def __init__(
        self, around: _FieldPlace | None, field: FieldPlan | None, index: int, levels: int = 0
    ) -> None:
        self.around = around
        self.field = field
        #: The position of the element in a list, or the start of an entry of a map on the wire.
        self.index = index
        self.depth: int = around.depth + 1 if around else 0
        #: How many objects and lists of a Struct it is within.
        self.levels = levels


class _Scan:
    """The reading of one request."""

    def __init__(self, raw: bytes, max_fields: int, maximum: int) -> None:
        self._raw = raw
        self._max_fields = max_fields
        self._most = maximum
        self._nul = b"\0" in raw
        self.fields = 0
        self.violations: list[Violation] = []

    def message(
        self, place: _FieldPlace, position: int, end: int, plan: MessagePlan, seen: dict[int, Any]
    ) -> None:
        """Read a message, or a piece of one: `seen` is what earlier pieces had."""
        raw, fields = self._raw, plan.fields
        while position < end:
            tag = raw[position]
            if tag < 0x80:
                position += 1
            else:
                tag, position = self._varint(position)
            self.fields += 1
            if self.fields > self._max_fields:
                self._refuse_all()
            kind = tag & 7
            if kind == _LENGTH:
                size = raw[position]
                if size < 0x80:
                    start = position + 1
                else:
                    size, start = self._varint(position)
                position = start + size
            else:
                start = -1
                position = self._after_number(kind, position)
            if position > end:
                raise MalformedError
            field = fields.get(tag >> 3)
            if field is None:
                continue
            if start >= 0 and field.message is not None:
                self._within(place, start, position, field, tag >> 3, seen)
            elif field.repeated:
                self._elements(place, start, position, field, tag >> 3, seen)
            if self._nul and field.text and raw.find(b"\0", start, position) >= 0 <= start:
                self._refuse(self._path(place, field), "NUL characters cannot be stored")

    def _within(
        self,
        place: _FieldPlace,
        start: int,
        end: int,
        field: FieldPlan,
        number: int,
        seen: dict[int, Any],
    ) -> None:
        """Read a message in a field."""
        plan = field.message
        assert plan is not None
        if field.repeated:
            count = seen[number] = seen.get(number, 0) + 1
            if field.most is not None and count > field.most:
                self._refuse_once(place, field, count)
                return
            inner: dict[int, Any] = {}
            index = start if field.map else count - 1
        else:
            size, inner = seen.get(number) or (0, {})
            seen[number] = size + end - start, inner
            if field.most_bytes is not None and size + end - start > field.most_bytes:
                self._refuse(self._path(place, field), f"is over {field.most_bytes:,} bytes")
                return
            index = -1
        within = _FieldPlace(place, field, index, place.levels + plan.level)
        if within.depth > _MAX_DEPTH:
            raise MalformedError
        if within.levels > MAX_LEVELS:
            self._refuse(self._path(within), f"is more than {MAX_LEVELS} levels deep")
            return
        self.message(within, start, end, plan, inner)

    def _elements(
        self,
        place: _FieldPlace,
        start: int,
        end: int,
        field: FieldPlan,
        number: int,
        seen: dict[int, Any],
    ) -> None:
        """Count the elements of a list: one, or all packed numbers."""
        found = 1
        if start >= 0 and field.width is not None:
            packed = self._raw[start:end]
            found = (
                len(packed) // field.width if field.width else len(packed.translate(None, _GOES_ON))
            )
            self.fields += found
        count = seen[number] = seen.get(number, 0) + found
        if field.most is not None and count > field.most >= count - found:
            self._refuse_once(place, field, field.most + 1)

    def _refuse_once(self, place: _FieldPlace, field: FieldPlan, count: int) -> None:
        """Refuse the first element that is too many."""
        if field.most is not None and count == field.most + 1:
            noun = "pairs" if field.map else "paths" if field.name == "paths" else "items"
            self._refuse(self._path(place, field), f"has more than {field.most:,} {noun}")

    def _refuse_all(self) -> None:
        """Stop with the violations found, which explain the many fields, or with their number."""
        if not self.violations:
            self._refuse("", f"has more than {self._max_fields:,} fields in all")
        raise _LimitFound

    def _refuse(self, path: str, text: str) -> None:
        self.violations.append((path, text))
        if len(self.violations) >= self._most:
            raise _LimitFound

    def _after_number(self, kind: int, position: int) -> int:
        """Return the end of a number. Groups, which no client sends, are refused."""
        if kind == _VARINT:
            start = position
            while self._raw[position] >= 0x80:
                position += 1
            if position - start >= _VARINT_BYTES:
                raise MalformedError
            return position + 1
        if kind not in _SIZES:
            raise MalformedError
        return position + _SIZES[kind]

    def _varint(self, position: int) -> tuple[int, int]:
        """Return the number at `position`, and its end."""
        value = shift = 0
        for byte in self._raw[position : position + _VARINT_BYTES]:
            value |= (byte & 0x7F) << shift
            position += 1
            if byte < 0x80:
                return value, position
            shift += 7
        raise MalformedError

    def _path(self, place: _FieldPlace, field: FieldPlan | None = None) -> str:
        """Return the path of a message, or of a field in it, such as `messages[2].content`."""
        parts = [field.name] if field else []
        at: _FieldPlace | None = place
        while at is not None and at.field is not None:
            name = at.field.name
            if at.field.map:
                # The path of a map's value has the entry's key.
                inner = parts.pop() if parts else "value"
                name += " (a key)" if inner == "key" else f"[{self._key(at.index)!r}]"
            elif at.field.repeated:
                name += f"[{at.index}]"
            parts.append(name)
            at = at.around
        return ".".join(reversed(parts))

    def _key(self, position: int) -> str:
        """Return the key of the map's entry at `position`, if it comes first, as in all encoders."""
        if self._raw[position] != 0x0A:
            return "?"
        size, start = self._varint(position + 1)
        return self._raw[start : start + min(size, 200)].decode(errors="replace")
