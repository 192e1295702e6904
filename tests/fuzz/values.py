"""Values for the fields of requests: at their limits, just beyond, and hostile ones."""

from __future__ import annotations

import random
from typing import Any
from uuid import UUID

from buf.validate import validate_pb2
from google.protobuf import struct_pb2, timestamp_pb2

from fuzz.kinds import kind_of

#: A mark in valid texts that is replaced with half of a surrogate pair, which is not valid UTF-8.
MARK = "§§"
SURROGATE = b"\xed\xa0\x80\x2d"
HOSTILE = [
    *(
        "",
        " ",
        "\0",
        "a\0b",
        "\ufeff",
        "\u202eevil",
        "\u2066\u2069",
        "\ue000",
        "\U0010ffff",
        "\ufffe",
    ),
    *(
        "\U00010d40\U00010d41 of \U00010d45",
        "٣٤٥ ৪৫ ５６",
        "²³¹ ½ Ⅷ",
        "9" * 5000,
        "1e99999",
        "-0",
        "0x" + "f" * 600,
    ),
    *("e" + "\u0301" * 2000, "ﷺ" * 300, "İıßſK", "👩‍👩‍👧‍👦" * 50, "日本語" * 300, "a.b." * 700),
    *(
        "' OR 1=1 --",
        '"' * 501,
        "(((((" * 90,
        "[a-",
        "*" * 300,
        "-a -b -c",
        "%s %n {0} ${x}",
        "../" * 100,
    ),
    *(
        "what happened on 31 December 9999?",
        "yesterday, last week, 0000-00-00",
        "2024-02-30",
        "year 0",
    ),
    *(
        MARK,
        f"valid {MARK} text",
        "C:\\ \\u0000 \\",
        "\r\n\t\v\f\x1b[31m",
        "http://[::1",
        "a@b" * 100,
    ),
]
WORDS = (
    *("the", "cat", "sleeps", "on", "warm", "radiator", "ferry", "leaves", "at", "nine", "Marta"),
    *("Silva", "likes", "42", "mushrooms", "in", "May", "2024", "file.txt", "v1.2.3"),
)
INTEGERS = (0, 1, 2, 10, 50, 199, 200, 201, -1, 1000, 1_000_001, 2**31 - 1, -(2**31))
WIDE = (*INTEGERS, 2**53 + 1, 2**63 - 1, -(2**63))
DOUBLES = (0.0, 0.5, 1.0, -1.0, 1.0000001, 5e-324, 1e308, float("nan"), float("inf"), float("-inf"))
#: From before the year 1 to after 9999.
SECONDS = (
    *(-62135596801, -62135596800, -62135596799, -1, 0, 1, 1714830000, 4102444800),
    *(253402300798, 253402300799, 253402300800, 2**62, -(2**62)),
)
NANOS = (0, 1, 999, 999_999_999, 1_000_000_000, -1)
#: Tokens that only the issuing RPC accepts.
OF_ONE_RPC = {"page_token", "resume_token"}
#: Size of a large text in bytes. Few are used, so that thousands of calls stay fast.
LARGE = 100_000


class Values:
    """Generates values. `sane` is the probability of a value that the contract allows."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sane = 1.0
        #: Values returned by earlier calls, by kind, so that later calls succeed: ids, tokens, names.
        self.known: dict[str, list[str]] = {}
        self.large_left = 0
        #: The RPC of the generated request, since tokens of other RPCs are refused.
        self.rpc = ""

    def remember(self, kind: str, value: str) -> None:
        kept = self.known.setdefault(kind, [])
        kept.append(value)
        if len(kept) > 200:
            kept.pop(self.rng.randrange(len(kept)))

    def one_of(self, kind: str) -> str:
        """Return a known value of a kind, often the latest, which probably still exists; "" if none is known."""
        known = self.known.get(kind)
        if not known:
            return ""
        return known[-1] if self.rng.random() < 0.4 else self.rng.choice(known)

    def is_sane(self) -> bool:
        return self.rng.random() < self.sane

    def scalar(self, field: Any, rules: Any) -> Any:
        """Return a value of a scalar field. `rules` are the FieldRules of the field, or of its items."""
        if field.type == field.TYPE_STRING:
            return self.string(kind_of(field), rules.string)
        if field.type == field.TYPE_BYTES:
            limit = min(rules.bytes.max_len or 1024, 1024)
            return self.rng.randbytes(self.rng.randrange(limit))
        if field.type == field.TYPE_BOOL:
            return self.rng.random() < 0.5
        if field.type == field.TYPE_ENUM:
            known = [value.number for value in field.enum_type.values if value.number]
            sane = self.is_sane()
            return self.rng.choice(known) if sane else self.rng.choice([0, 99, -1, 2**31 - 1])
        if field.type in (field.TYPE_DOUBLE, field.TYPE_FLOAT):
            return self.rng.random() if self.is_sane() else self.rng.choice(DOUBLES)
        wide = field.type in (field.TYPE_INT64, field.TYPE_UINT64)
        if self.is_sane():
            return self.rng.choice((0, 1, 2, 10, 50))
        return self.rng.choice(WIDE if wide else INTEGERS)

    def string(self, kind: str, rules: validate_pb2.StringRules) -> str:
        limit = rules.max_bytes or rules.max_len or 1024
        if self.is_sane():
            return self._sane(kind, rules)[:limit]
        if _is_token(kind) and self.rng.random() < 0.5:
            return self._damaged_token()
        if self.rng.random() < 0.7:
            return self.rng.choice(HOSTILE)
        if limit > LARGE and not self.large_left:
            return "x" * 2000
        self.large_left -= limit > LARGE
        text = self.rng.choice(["x", "ä", "a.", "1 ", "👍", "password: x\n"]) * limit
        return text[: limit + self.rng.choice([0, 1])]

    def _sane(self, kind: str, rules: validate_pb2.StringRules) -> str:
        if _is_token(kind):
            own = f"{self.rpc}.{kind}" if kind in OF_ONE_RPC else kind
            return self.one_of(own) if self.rng.random() < 0.5 else ""
        if self.rng.random() < (0.9 if rules.uuid or kind.endswith("_id") else 0.5):
            known = self.one_of(kind)
            if known:
                return known
        if rules.uuid:
            return str(UUID(int=self.rng.getrandbits(128), version=4))
        if rules.pattern and "[0-9]{4}" in rules.pattern:
            return f"{self.rng.choice(['0001', '2024', '9999'])}-{self.rng.randint(1, 12):02}-28"
        if rules.pattern or kind == "namespace":
            return f"n{self.rng.getrandbits(20)}"
        return " ".join(self.rng.choices(WORDS, k=self.rng.randint(1, 12)))

    def _damaged_token(self) -> str:
        """Return an issued token of another kind, or with a change."""
        issued = [kind for kind in self.known if _is_token(kind.rpartition(".")[2])]
        token = self.one_of(self.rng.choice(issued)) if issued else "AAAA"
        place = self.rng.randrange(len(token) + 1)
        return self.rng.choice(
            [
                token,
                token[:place],
                token[place:],
                token[:place] + self.rng.choice("AbZ09-_=+/. ") + token[place + 1 :],
                token * 2,
            ]
        )

    def timestamp(self) -> timestamp_pb2.Timestamp:
        nanos = 0 if self.is_sane() else self.rng.choice(NANOS)
        # Moments at the limits of time are allowed.
        seconds = self.rng.choice(SECONDS[1:-3]) if self.is_sane() else self.rng.choice(SECONDS)
        return timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos)

    def struct(self) -> struct_pb2.Struct:
        """Return a Struct, sometimes a deep or wide one."""
        struct = struct_pb2.Struct()
        struct["key"] = self.rng.choice(["x", 1.5, None, True])
        if not self.is_sane():
            inner: Any = self.rng.choice([*HOSTILE[:12], *DOUBLES])
            for _ in range(self.rng.choice([3, 14, 15, 20])):
                inner = [inner] if self.rng.random() < 0.5 else {"k": inner}
            try:
                struct["deep"] = inner
            except ValueError:
                struct["wide"] = "x" * 65_536
        return struct


def _is_token(kind: str) -> bool:
    return kind.endswith("_token")
