"""Arguments as models write them: `null`, empty texts, JSON in a text, a single name for a list, unknown names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from everword.adapters.tools.model import NO_SCOPE, Tool, ToolError, ToolScope, decided_arguments

#: Arguments that a model may give to any tool; tools that have no use for them ignore them silently.
_ANYWHERE = {"subject", "conversation", "agents"}


def checked(
    tool: Tool, arguments: str | Mapping[str, Any], scope: ToolScope = NO_SCOPE
) -> dict[str, Any]:
    """Return arguments, a mapping or its JSON, as the tool takes them. Raises ToolError."""
    given = _decoded(tool, arguments)
    fields = tool.arguments.model_fields
    named = {
        name: _lenient(value, fields[name].annotation)
        for name, value in given.items()
        if name in fields and not _is_left_out(value, fields[name])
    }
    for name, value in decided_arguments(scope).items():
        _ensure_allowed(name, given.get(name), value)
        if name == "subject" and name in fields:
            named[name] = value
        else:
            named.pop(name, None)
    try:
        return dict(tool.arguments.model_validate(named))
    except ValidationError as error:
        raise ToolError(_explain(tool, error)) from None


def unknown_arguments(
    tool: Tool, arguments: str | Mapping[str, Any], scope: ToolScope = NO_SCOPE
) -> str:
    """Return a line that names arguments that the tool does not have; empty if it has all of them."""
    fields = tool.arguments.model_fields
    fixed = decided_arguments(scope).keys() & fields.keys()
    unknown = sorted(set(_decoded(tool, arguments)) - set(fields) - _ANYWHERE)
    if not unknown:
        return ""
    takes = ", ".join(name for name in fields if name not in fixed)
    is_fixed = f" Fixed here: {', '.join(sorted(fixed))}." if fixed else ""
    return f"(Ignored: {', '.join(unknown)[:200]}. {tool.name} takes {takes}.{is_fixed})"


def _decoded(tool: Tool, arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments
    try:
        decoded = json.loads(arguments.strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError(f"{tool.name} takes a JSON object. {error}.") from None
    if decoded is None:
        return {}
    if not isinstance(decoded, dict):
        raise ToolError(f"{tool.name} takes a JSON object.")
    return decoded


def _is_left_out(value: Any, field: FieldInfo) -> bool:
    """Return whether a model means that it gives no value: by `null`, or by an empty text for an optional argument."""
    return value is None or (value in ("", "null") and not field.is_required())


def _lenient(value: Any, annotation: Any) -> Any:
    """Return a value in the form that the tool takes."""
    if get_origin(annotation) is tuple:
        return _values(value)
    # Models write the number of an issue without quotes.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if annotation is str and is_number else value


def _values(given: Any) -> list[Any]:
    """Return the values of a list, also if it is a JSON text, a single value, or contains `null`."""
    values = _list_in(given) if isinstance(given, str) else given
    if not isinstance(values, list | tuple):
        values = [values]
    return [
        {name: each for name, each in value.items() if each is not None}
        if isinstance(value, dict)
        else value
        for value in values
        if value not in (None, "")
    ]


def _list_in(text: str) -> list[Any]:
    if text.lstrip().startswith(("[", "{")):
        try:
            decoded = json.loads(text)
        except (ValueError, RecursionError):
            return [text]
        return decoded if isinstance(decoded, list) else [decoded]
    return [text]


def _ensure_allowed(name: str, given: Any, decided: str) -> None:
    """Raise ToolError if a model asks for another agent or subject than the one that is decided."""
    if any(each != decided for each in _values(given)):
        raise ToolError(f"{name} is always {decided!r} here. Leave it out.")


def _explain(tool: Tool, error: ValidationError) -> str:
    """Describe wrong arguments for a model."""
    broken = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
    return f"{tool.name} takes other arguments. {'; '.join(broken)}."
