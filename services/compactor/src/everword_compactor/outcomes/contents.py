"""Describes a result without a report: counts, the most important fields, or its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import regex

from everword_compactor.outcomes.phrases import counted, one_line, plain_scalar, quoted, shorten

_LISTS = (
    "rows", "records", "matches", "results", "items", "hits", "files", "documents", "entries", "data", "values",
    "events", "messages", "issues", "tickets", "users", "orders", "tasks", "organic", "search_results", "value",
)  # fmt: skip
_TOTALS = (
    "total", "total_count", "totalCount", "row_count", "rowCount", "rowcount", "rows_affected", "rowsAffected",
    "affected_rows", "affectedRows", "total_results", "totalResults", "num_results", "match_count", "count",
    "num_matches", "total_hits", "num_rows", "changes", "modifiedCount", "deletedCount", "insertedCount",
    "matchedCount",
)  # fmt: skip
_FIRST_FIELDS = (
    "status", "state", "result", "outcome", "conclusion", "answer", "number", "id", "key", "title", "name", "subject",
    "url", "html_url", "link", "total", "amount", "balance", "price", "count", "message",
)  # fmt: skip
#: Fields of no interest to a reader.
_DULL = {
    "object",
    "created",
    "updated",
    "node_id",
    "etag",
    "__typename",
    "kind",
    "version",
    "took",
    "ok",
    "success",
}
_NAMES = (
    "title",
    "name",
    "subject",
    "path",
    "file",
    "summary",
    "key",
    "id",
    "url",
    "text",
    "snippet",
)
_FIELDS = 5
_ROW_FIELDS = 4
_SHORT_CHARS = 160
_LISTED = 3
_GREP = regex.compile(r"([^\s:][^:\n]{0,200}):\d+[:-]")
_PATH = regex.compile(r"[^\s:]*[./][^\s:]*")
_FOUND = regex.compile(
    r"(?:found|showing|returned|total of)\s+(?:\d+\s+of\s+)?\d[\d,]*\s+\w+|^no \w+(?: \w+)? found"
    r"|^\d[\d,]* (?:matches|results|files|hits|lines|items)\b",
    regex.IGNORECASE,
)


def value_summary(value: Any, *, is_query: bool) -> str:
    """Return `37 rows`, `3 of 128 results` or `status confirmed, id 7` of a JSON value."""
    if isinstance(value, list):
        return list_summary(value, "rows" if is_query else "items")
    if not isinstance(value, Mapping):
        return plain_scalar(value)
    total = next((value[key] for key in _TOTALS if _is_count(value.get(key))), None)
    if total is None:
        total = _total_within(value)
    name = next((key for key in _LISTS if isinstance(value.get(key), list)), None)
    if not is_query and any(isinstance(value.get(key), str) for key in ("status", "state")):
        # One thing that has a list, rather than a list of things.
        return _short_fields(value, _FIELDS)
    if name is None:
        lists = [key for key, each in value.items() if isinstance(each, list)]
        name = lists[0] if len(lists) == 1 and len(value) <= 4 else None
    if name is None and is_query and total is not None:
        return counted(total, "rows")
    if name is None:
        return _short_fields(value, _FIELDS)
    noun = (
        "rows"
        if is_query
        else (name if name not in {"data", "values", "value", "organic"} else "results")
    )
    told = list_summary(value[name], noun.replace("_", " "))
    if total is not None and total > len(value[name]):
        return f"{total} {noun}, of which {told}" if value[name] else counted(total, noun)
    return told


def list_summary(values: Sequence[Any], noun: str) -> str:
    """Return the number of items; for one its fields, for several the names of the first."""
    told = counted(len(values), noun)
    if not values:
        return told
    if len(values) == 1 and isinstance(values[0], Mapping):
        return f"{told} ({_short_fields(values[0], _ROW_FIELDS)})"
    if len(values) == 1 and isinstance(values[0], list) and len(values[0]) <= _ROW_FIELDS:
        return f"{told} ({', '.join(map(plain_scalar, values[0]))})"
    names = [name for each in values[:_LISTED] if (name := _name(each))]
    return f"{told}, the first {', '.join(shorten(name, 60) for name in names)}" if names else told


def text_summary(text: str, *, is_command: bool) -> str:
    """Return a short text in full; for a long one the number of lines, and the most important line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    if told := _search_outcome(lines):
        return told
    if len(lines) <= 3 and len(text) <= _SHORT_CHARS:
        return quoted(text, _SHORT_CHARS)
    if is_command:
        return f"{counted(len(lines), 'lines')}, ending {quoted(lines[-1])}"
    return f"{counted(len(lines), 'lines')}, beginning {quoted(lines[0])}"


def _search_outcome(lines: Sequence[str]) -> str:
    """Return the summary of a search in files, or the kind of its lines."""
    for line in (lines[0], lines[-1]):
        if len(line) < 300 and (match := _FOUND.match(one_line(line))):
            return shorten(one_line(line).rstrip(".:"), _SHORT_CHARS)
    places = [match[1] for line in lines if (match := _GREP.match(line[:300]))]
    if len(places) > 1 and len(places) >= 0.8 * len(lines):
        files = list(dict.fromkeys(places))
        return f"{counted(len(places), 'matches')} in {counted(len(files), 'files')}, the first {files[0]}"
    if len(lines) > 2 and all(len(line) < 300 and _PATH.fullmatch(line.strip()) for line in lines):
        return f"{counted(len(lines), 'files')}, the first {', '.join(line.strip() for line in lines[:_LISTED])}"
    return ""


def _short_fields(value: Mapping[Any, Any], maximum: int) -> str:
    """Return the short fields of an object, those about its outcome first."""
    flat = dict(_scalars(value))
    names = [name for name in _FIRST_FIELDS if name in flat]
    names += [name for name in flat if name not in names and name not in _DULL]
    told = [f"{name} {plain_scalar(flat[name])}" for name in names[:maximum]]
    return ", ".join(told) or counted(len(value), "fields")


def _scalars(value: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, each in value.items():
        if isinstance(each, str | int | float) and each != "" and len(str(each)[:500]) < 500:
            found.append((f"{prefix}{key}", each))
        elif isinstance(each, Mapping) and depth < 1:
            found += _scalars(each, f"{key}.", depth + 1)
    # Nested fields come last.
    return sorted(found, key=lambda pair: "." in pair[0])


def _name(value: Any) -> str:
    if isinstance(value, str):
        return one_line(value[:500])
    if isinstance(value, Mapping):
        for key in _NAMES:
            if isinstance(value.get(key), str) and value[key].strip():
                return one_line(value[key][:500])
    return ""


def _total_within(value: Mapping[Any, Any]) -> int | None:
    """Return the total that stands one level deeper, as search engines put it."""
    for key in ("hits", "meta", "pagination", "page_info", "searchInformation"):
        within = value.get(key)
        if isinstance(within, Mapping):
            total = within.get("total", within.get("total_count", within.get("totalCount")))
            total = total.get("value") if isinstance(total, Mapping) else total
            if isinstance(total, int) and _is_count(total):
                return total
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
