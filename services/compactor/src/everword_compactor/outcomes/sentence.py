"""The sentence about a tool call and its outcome, made from the call alone.

Ran “pytest -q tests/unit”: 2 failed, 31 passed; failed: tests/unit/test_login.py::test_expiry; exit code 1.
Edited src/settings.py: “timeout = 30” → “timeout = 60”.
Requested POST https://api.example.com/orders: 422 Unprocessable Entity, “body.quantity: must be positive”.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from everword.text.credentials import mask_credentials
from everword_compactor.outcomes.contents import text_summary, value_summary
from everword_compactor.outcomes.edits import edit_summary, first_text
from everword_compactor.outcomes.errors import body_message, error_summary, text_error
from everword_compactor.outcomes.phrases import enumerated, one_line, quoted, shorten, shown
from everword_compactor.outcomes.reports import closing_line, rows_affected, test_report
from everword_compactor.outcomes.result import Result, parse_json, read_result

MAX_CHARS = 500
#: Length of the action; the outcome has the rest.
_ACTION_CHARS = 260
_NAME_CHARS = 120
_COMMANDS = ("command", "cmd", "script", "commands", "shell_command", "CommandLine", "bash_command")
_STATEMENTS = ("sql", "query", "statement", "sql_query")
_SQL = regex.compile(
    r"\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|EXPLAIN|TRUNCATE|MERGE|SHOW|DESCRIBE|PRAGMA)\s",
    regex.IGNORECASE,
)
_URLS = ("url", "endpoint", "uri", "path")
_NUMBER = regex.compile(r"\d+")
#: Arguments that do not describe the action.
_ASIDE = {
    "description",
    "explanation",
    "timeout",
    "timeout_ms",
    "run_in_background",
    "thought",
    "reasoning",
    "is_background",
}


@dataclass(frozen=True)
class Call:
    """A tool call: its name, arguments and result, each as sent."""

    name: str
    args: str
    result: str

    def masked(self) -> Call:
        """Return the call without credentials."""
        return Call(mask_credentials(self.name), _masked(self.args), _masked(self.result))

    @property
    def text(self) -> str:
        """Return the call as it can be read, whole."""
        called = f"{self.name} {self.args}".strip()
        return "\n".join(part for part in (called, self.result) if part)

    @cached_property
    def outcome(self) -> str:
        """The outcome: `2 failed, 31 passed; exit code 1`; empty if the call has none."""
        if not self.result.strip():
            return "no output" if _is_command(self) and self.result else ""
        return _outcome(self, read_result(self.result), firm=False)

    @cached_property
    def firm_outcome(self) -> str:
        """The outcome reported by the result: counts, codes, errors; empty if it is only content."""
        return _outcome(self, read_result(self.result), firm=True) if self.result.strip() else ""

    @cached_property
    def parsed_args(self) -> Mapping[str, Any] | str:
        args = parse_json(self.args)
        return args if isinstance(args, dict) else self.args


def describe_call(call: Call) -> str:
    """Return one sentence, of at most 500 characters, on one line."""
    action = _action(call)
    told = f"{action}: {call.outcome}" if call.outcome else action
    return f"{shorten(told, MAX_CHARS - 1).rstrip('.')}."


def with_outcome(sentence: str, call: Call) -> str:
    """Return a model's sentence, with the outcome appended if it omits one of its numbers."""
    outcome = call.firm_outcome
    numbers = _NUMBER.findall(outcome.partition("; failed:")[0])
    if not numbers or set(numbers) <= set(_NUMBER.findall(sentence)):
        return sentence
    return shorten(f"{sentence.rstrip('.')}: {outcome}", MAX_CHARS - 1) + "."


def _masked(text: str) -> str:
    """Return a text without credentials, and without those in the strings that it holds as JSON.

    There, quotes and line ends are written otherwise, and what announces a password may be lost between them.
    """
    masked = mask_credentials(text)
    value = parse_json(masked)
    if value is None:
        return masked
    try:
        return json.dumps(_masked_strings(value), ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return masked


def _masked_strings(value: Any) -> Any:
    if isinstance(value, str):
        # A word alone was seen as it is.
        return _masked(value) if not (value.isascii() and value.isalnum()) else value
    if isinstance(value, list | tuple):
        return [_masked_strings(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _masked_strings(each) for key, each in value.items()}
    return value


def _action(call: Call) -> str:
    """Return the action and its object."""
    args = call.parsed_args
    if edited := edit_summary(call.name, args):
        return shorten(edited, _ACTION_CHARS + 120)
    if isinstance(args, str):
        return _called(call.name, _unstructured_args(args))
    if command := command_of(args):
        return f"Ran {quoted(command, 180)}"
    statement = first_text(args, _STATEMENTS)
    if _SQL.match(statement):
        return f"Queried {quoted(statement, 180)}"
    url = first_text(args, ("url", "endpoint", "uri"))
    if url and (args.get("method") or "://" in url):
        method = f"{str(args['method']).upper()} " if isinstance(args.get("method"), str) else ""
        return f"Requested {method}{shorten(url, 180)}"
    named = [
        f"{one_line(str(name))} {shown(each)}"
        for name, each in args.items()
        if name not in _ASIDE and each not in ("", None)
    ]
    return _called(call.name, named)


def _unstructured_args(args: str) -> list[str]:
    """Return arguments that are no object, as a part of a sentence."""
    try:
        value = json.loads(args)
    except (ValueError, RecursionError):
        value = args
    return [] if value in ("", None, [], {}) or not args.strip() else [shown(value)]


def command_of(args: Mapping[str, Any]) -> str:
    """Return the command line that a call ran; empty if it ran none."""
    for key in _COMMANDS:
        value = args.get(key)
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            is_shell = len(value) > 2 and value[1].startswith("-") and value[0].endswith("sh")
            return str(value[-1]) if is_shell else " ".join(value)
        if isinstance(value, str) and value.strip():
            # An editor has commands, too, and says of which file.
            return "" if "path" in args and " " not in value.strip() else value
    return ""


def _called(name: str, named: list[str]) -> str:
    called = f"Called {shorten(one_line(name[:2_000]), _NAME_CHARS) or 'a tool'}"
    while named:
        told = f"{called} with {enumerated(named)}"
        if len(told) <= _ACTION_CHARS:
            return told
        named = [*named[:-2], "more"] if named[-1] == "more" else [*named[:-1], "more"]
        if named == ["more"]:
            break
    return called


def _outcome(call: Call, result: Result, *, firm: bool) -> str:
    args = call.parsed_args
    is_command = _is_command(call)
    is_query = isinstance(args, Mapping) and bool(_SQL.match(first_text(args, _STATEMENTS)))
    edits = edit_summary(call.name, args) is not None
    parts: list[str] = []
    if result.status is not None:
        parts.append(f"{result.status} {one_line(result.phrase)}".strip())
    # The output of a command may mention rows and still be a report of tests.
    readers = (
        [test_report, rows_affected, closing_line] if is_command else [rows_affected, test_report]
    )
    report = next(filter(None, (read(result.text) for read in readers)), "")
    error = "" if report else _error(result)
    parts += [report] if report else []
    parts += [error_summary(error)] if error else []
    if result.exit_code is not None:
        parts.append(f"exit code {result.exit_code}")
    elif result.failed and not error:
        parts.append("failed")
    if error and edits:
        return f"failed, {', '.join(parts)}"
    if not firm and not report and not error and not edits:
        parts += _contents(result, is_command=is_command, is_query=is_query)
    return "; ".join(parts)


def _is_command(call: Call) -> bool:
    args = call.parsed_args
    return isinstance(args, Mapping) and bool(command_of(args))


def _error(result: Result) -> str:
    value = result.value
    if result.went_wrong:
        for each in (result.error, value, result.envelope.get("message")):
            if told := body_message(each):
                return told
    if value is None:
        return text_error(result.text, went_wrong=result.went_wrong)
    return ""


def _contents(result: Result, *, is_command: bool, is_query: bool) -> list[str]:
    if result.value is not None:
        return [value_summary(result.value, is_query=is_query)]
    told = text_summary(result.text, is_command=is_command)
    return [told] if told else ["no output"] if is_command and result.exit_code is None else []
