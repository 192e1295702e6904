"""Input of a visitor: fields of an address or a form, as values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from urllib.parse import urlencode

from google.protobuf.timestamp_pb2 import Timestamp
from starlette.datastructures import QueryParams

_EPOCH = date(1970, 1, 1)


class BadInputError(ValueError):
    """Unreadable input of a visitor; the message says which input is expected."""


class Values:
    """The fields of an address or a form. An empty one counts as unset."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields

    @property
    def is_empty(self) -> bool:
        """Return whether all fields are blank."""
        return not any(value.strip() for value in self._fields.values())

    def text(self, name: str) -> str:
        """Return a field without spaces around it."""
        return self._fields.get(name, "").strip()

    def all(self, name: str) -> list[str]:
        """Return the values of a field that may be given several times."""
        fields = self._fields
        return fields.getlist(name) if isinstance(fields, QueryParams) else [self.text(name)]

    def one(self, name: str) -> list[str]:
        """Return a field as the only value of a filter; empty if the field is."""
        return [self.text(name)] if self.text(name) else []

    def with_page(self, token: str) -> str:
        """Return the same fields as the query of another page's address."""
        fields = self._fields
        pairs = fields.multi_items() if isinstance(fields, QueryParams) else fields.items()
        retained = [(name, value) for name, value in pairs if name != "page"]
        return urlencode([*retained, ("page", token)])

    def number(self, name: str, default: int, maximum: int) -> int:
        """Return a number from 0 on. Raises BadInputError."""
        text = self.text(name)
        if not text:
            return default
        if not text.isdecimal() or len(text) > 9 or int(text) > maximum:
            raise BadInputError(f"{name} is a number up to {maximum}, not {text[:40]!r}.")
        return int(text)

    def day(self, name: str) -> date | None:
        """Return a day. Raises BadInputError."""
        text = self.text(name)
        if not text:
            return None
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise BadInputError(f"{name} is a day such as 2026-04-18, not {text[:40]!r}.") from None

    def start_of_day(self, name: str) -> Timestamp | None:
        """Return the start, in UTC, of the day in the field `name`; None if the field is empty. Raises
        BadInputError.
        """
        day = self.day(name)
        return timestamp(datetime.combine(day, time(), UTC)) if day else None

    def end_of_day(self, name: str) -> Timestamp | None:
        """Return the end, in UTC, of the day in the field `name`; None if the field is empty. Raises BadInputError."""
        day = self.day(name)
        if day is None or day == date.max:
            return None
        return timestamp(datetime.combine(day + timedelta(days=1), time(), UTC))


def timestamp(moment: datetime) -> Timestamp:
    """Return a time in UTC as a proto."""
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp


def day_number(day: date) -> int:
    """Return how many days a day is after 1970-01-01, as sliders count."""
    return (day - _EPOCH).days


def day_of(number: int) -> date:
    """Return the day of a slider's number."""
    return _EPOCH + timedelta(days=number)
