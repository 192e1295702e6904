"""How values read: times, numbers, names of enums, and where a memory is shown."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp
from markupsafe import Markup

from everword.client.types import to_datetime
from everword.v1 import cost_pb2, memory_pb2

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Digits of an amount that matter: a call may cost thousandths of a cent.
_SIGNIFICANT = 3
#: Messages shown before the one that a visitor goes to.
_SHOWN_BEFORE = 5
#: Pages of memories, by their kind. Other kinds have the page of any memory.
_PLACES = {
    "summary": "/summaries",
    "note": "/notes",
    "topic": "/topics",
    "lore": "/lore/entries",
}


def word(message: Message, field: str) -> str:
    """Return the value of an enum's field as a word, such as `confirmed`; empty if unspecified."""
    enum = message.DESCRIPTOR.fields_by_name[field].enum_type
    assert enum is not None, f"{field} is no enum"
    number = getattr(message, field)
    known = enum.values_by_number.get(number)
    prefix = _CAPITAL.sub("_", enum.name).upper() + "_"
    name = known.name.removeprefix(prefix) if known else f"{field} {number}"
    return "" if name == "UNSPECIFIED" else name.lower().replace("_", " ")


def when(stamp: Timestamp, unset: str = "") -> Markup | str:
    """Return a time to the minute, in UTC."""
    at = to_datetime(stamp)
    if at is None:
        return unset
    text = f"{at:%Y-%m-%d %H:%M}"
    return Markup('<time datetime="{}" title="{} UTC">{}</time>').format(
        at.isoformat(), f"{at:%Y-%m-%d %H:%M:%S}", text
    )


def day(stamp: Timestamp, unset: str = "") -> Markup | str:
    """Return the day of a time, in UTC."""
    at = to_datetime(stamp)
    if at is None:
        return unset
    return Markup('<time datetime="{}" title="{} UTC">{}</time>').format(
        at.isoformat(), f"{at:%Y-%m-%d %H:%M:%S}", f"{at:%Y-%m-%d}"
    )


def age(duration: Duration) -> str:
    """Return how long something has waited, in its largest unit."""
    left = duration.seconds
    for name, seconds in (("d", 86400), ("h", 3600), ("min", 60)):
        if left >= seconds:
            return f"{left // seconds} {name}"
    return f"{left} s"


def number(value: float) -> str:
    """Return a count with its thousands apart, or a number to three digits after the point."""
    if isinstance(value, float):
        return "–" if value != value else f"{value:,.3f}"
    return f"{value:,}"


def share(value: float) -> str:
    """Return a share in percent."""
    return f"{100 * value:.0f} %"


def size(count: int) -> str:
    """Return a number of bytes in its unit."""
    value = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def amount(value: Decimal) -> str:
    """Return an amount with two digits after the point, and with more where these would be too few."""
    if value >= 1 or not value:
        return f"{value:,.2f}"
    return f"{value:.{max(2, _SIGNIFICANT - 1 - value.adjusted())}f}"


def money(value: cost_pb2.Money) -> str:
    """Return an amount with its currency."""
    return f"{amount(Decimal(value.amount))} {value.currency_code}"


def plural(count: int, noun: str) -> str:
    """Return `1 message`, `2 messages`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def clip(text: str, maximum: int) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= maximum else text[:maximum].rstrip() + " …"


def data(value: Struct, indent: int | None = None) -> str:
    """Return a caller's structure as JSON, with integers for numbers without a fraction."""
    fields = _whole(json_format.MessageToDict(value))
    return json.dumps(fields, indent=indent, sort_keys=True, ensure_ascii=False)


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def place_of_memory(memory: memory_pb2.Memory) -> str:
    """Return where a memory is shown."""
    return f"{_PLACES.get(word(memory, 'kind'), '/memories')}/{memory.id}"


def place_in_conversation(memory: memory_pb2.Memory) -> str:
    """Return the address of a message within its conversation's timeline."""
    place = f"/conversations/{memory.conversation_id}"
    if not memory.seq:
        return place
    return f"{place}?from={max(1, memory.seq - _SHOWN_BEFORE)}#m{memory.seq}"
