"""Namespace files that differ from valid exports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256

DEEP = b"[" * 50_000 + b"]" * 50_000


def sealed(lines: list[bytes]) -> bytes:
    """Return a file of these lines with a valid last line."""
    body = b"".join(line + b"\n" for line in lines)
    end = {"end": {"records": len(lines) - 1, "sha256": sha256(body).hexdigest()}}
    return body + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def job(task: str, subject: str, not_before: str = "2026-03-02T08:00:00+00:00") -> bytes:
    given = {"task": task, "subject": subject, "not_before": not_before}
    return json.dumps({"job": given}, separators=(",", ":")).encode()


def changed_settings(line: bytes, field: str, value: bytes) -> bytes:
    """Return the second line of a file with another value of a field, which is JSON."""
    given = json.loads(line)["namespace"]
    texts = {name: json.dumps(each).encode() for name, each in given.items()} | {field: value}
    return b'{"namespace":{%s}}' % b",".join(b'"%s":%s' % (n.encode(), t) for n, t in texts.items())


#: Damages by a part of the resulting error message.
DAMAGED: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "its first line is not the header": lambda lines: [b"{}", *lines],
    "of format 2": lambda lines: [b'{"export":{"format":2}}', *lines[1:]],
    "does not describe a namespace": lambda lines: [lines[0], *lines[2:]],
    "is no text search configuration": lambda lines: [
        lines[0],
        lines[1].replace(b'"english"', b'"klingon"'),
    ],
    "line 2 of the file: a value is invalid": lambda lines: [
        lines[0],
        lines[1].replace(b'"day_cutoff_minutes":0', b'"day_cutoff_minutes":-1'),
    ],
    "line 3 of the file is not a record": lambda lines: [*lines[:2], b'["night"]'],
    "line 2 of the file: this version of Everword does not know its field mood": lambda lines: [
        lines[0],
        lines[1].replace(b'{"time_zone"', b'{"mood":1,"time_zone"'),
    ],
    "line 3 of the file is a dream, which this version of Everword does not know": lambda lines: [
        *lines[:2],
        b'{"dream":{"id":1}}',
    ],
    "line 4 of the file (night): this version of Everword does not know its field nicht": (
        lambda lines: [
            *lines[:2],
            b'{"night":{"night":null}}',
            b'{"night":{"night":null,"nicht":1}}',
        ]
    ),
    "it does not have the fields night": lambda lines: [*lines[:2], b'{"night":{}}'],
    "one has no night": lambda lines: [*lines[:2], b'{"night":{"night":null}}'],
    "line 3 of the file (author_name): one is not JSON": lambda lines: [
        *lines[:2],
        b'{"author_name":{"name":"one"},{"name":"two"}}',
    ],
    "invalid input syntax": lambda lines: [*lines[:2], b'{"night":{"night":"?"}}'],
    "refers to a record that does not precede it": lambda lines: [
        *lines[:2],
        next(line for line in lines if line.startswith(b'{"message"')),
    ],
    "(message): a value is invalid": lambda lines: [
        re.sub(rb'^(\{"message".*"role":)\d', rb"\g<1>99", line) for line in lines
    ],
    "no ranking record": lambda lines: [
        *lines[:2],
        *(
            re.sub(rb'("ranking":"...)01', rb"\g<1>02", line)
            for line in lines
            if line.startswith(b'{"passage"') and b'"conversation_id":null' in line
        ),
    ],
    "or has unknown fields": lambda lines: [*lines[:2], b'{"job":{"subject":"x"}}'],
    "(job): one is not json": lambda lines: [*lines[:2], b'{"job":{"task":%s}}' % DEEP],
    "(night): a value is invalid": lambda lines: [*lines[:2], b'{"night":{"night":%s}}' % DEEP],
    "line 4 of the file (job): it occurs twice": lambda lines: [
        *lines[:2],
        *[job("learn", "themes")] * 2,
    ],
    "line 4 of the file (job): exports never contain this task": lambda lines: [
        *lines[:2],
        job("learn", "themes"),
        job("sleep", "namespace"),
    ],
    "line 3 of the file (job): exports never contain this task": lambda lines: [
        *lines[:2],
        job("embed", "shard-0"),
    ],
    "line 3 of the file (night): it has a time in another format": lambda lines: [
        *lines[:2],
        b'{"night":{"night":"infinity"}}',
    ],
    "line 4 of the file (erased_external_id): it has a time": lambda lines: [
        *lines[:2],
        b'{"erased_external_id":{"hash":"\\\\x00","erased_at":"2026-03-02T08:00:00+00:00"}}',
        b'{"erased_external_id":{"hash":"\\\\x01","erased_at":"infinity"}}',
    ],
}
#: Invalid values in the second line of a file, which describes the namespace: field and value by description.
NO_SETTINGS = {
    "made at no time": ("created_at", b'"infinity"'),
    "made in a year of five digits": ("created_at", b'"20000-01-01T00:00:00+00:00"'),
    "made at a number": ("created_at", b"1"),
    "a policy of another word": ("channel_policies", b'{"cli":{"index":true,"mood":true}}'),
    "a policy that is a text": ("channel_policies", b'{"cli":"none"}'),
    "a policy of numbers": ("channel_policies", b'{"cli":{"index":1,"roll_up":1,"digest":1}}'),
    "too deep": ("channel_policies", DEEP),
}
