"""JSON that obeys a schema, generated from bytes: a change of the bytes changes a value, but not the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: Maximal length of texts and lists, since a fuzzer's input is short.
_TEXT, _ITEMS = 40, 4


class Source:
    """Bytes that are consumed in order; zeros after their end."""

    def __init__(self, data: bytes, phrases: Sequence[str]) -> None:
        """`phrases` are used as whole texts: words from the sources, and hostile values."""
        self._data = data
        self._at = 0
        self._phrases = phrases

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def text(self) -> str:
        """Return one or two phrases, or characters from the bytes."""
        kind = self.byte()
        if kind < 160:
            chosen = [self._phrases[self.byte() % len(self._phrases)] for _ in range(1 + kind % 2)]
            return " ".join(chosen)
        taken = self._data[self._at : self._at + kind % _TEXT]
        self._at += kind % _TEXT
        return taken.decode("utf-8", "replace").replace("\0", " ")

    def number(self) -> int:
        kind = self.byte()
        # Most numbers are record numbers.
        return kind % 8 if kind < 230 else (-1, 10**6, -(2**63), 2**63, 10**30)[kind % 5]


def draw(schema: Mapping[str, Any], source: Source) -> Any:
    """Return a value that obeys `schema`."""
    if "enum" in schema:
        return schema["enum"][source.byte() % len(schema["enum"])]
    kind = schema.get("type")
    if kind == "object":
        return {name: draw(each, source) for name, each in schema["properties"].items()}
    if kind == "array":
        least = schema.get("minItems", 0)
        count = min(least + source.byte() % (_ITEMS + 1), schema.get("maxItems", _ITEMS))
        return [draw(schema["items"], source) for _ in range(count)]
    if kind == "string":
        text = source.text()[: schema.get("maxLength")]
        return text if len(text) >= schema.get("minLength", 0) else "x" * schema["minLength"]
    if kind == "boolean":
        return bool(source.byte() % 2)
    low, high = schema.get("minimum"), schema.get("maximum")
    if kind == "number":
        return (low or 0) + ((high or 1) - (low or 0)) * source.byte() / 255
    assert kind == "integer", schema
    number = source.number()
    return number if low is None or high is None else max(low, min(high, number))
