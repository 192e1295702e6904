"""Describes an edit: the file, and the gist of old → new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from everword_compactor.outcomes.phrases import counted, quoted

PATHS = (
    "file_path", "path", "filepath", "filePath", "filename", "file_name", "file", "target_file", "notebook_path", "uri",
    "relative_path",
)  # fmt: skip
_OLD = (
    "old_string",
    "old_str",
    "oldString",
    "old_text",
    "oldText",
    "search",
    "find",
    "original",
    "before",
    "old",
)
_NEW = (
    "new_string", "new_str", "newString", "new_text", "newText", "replace", "replacement", "updated", "after", "new",
)  # fmt: skip
_WRITTEN = ("content", "contents", "file_text", "text", "code", "new_source", "data")
_PATCHES = ("patch", "diff", "input", "patch_text", "unified_diff")
_SIDE_CHARS = 90
_FILES = 3


def edit_summary(name: str, args: Mapping[str, Any] | str) -> str | None:
    """Return `Edited src/a.py: “timeout = 30” → “timeout = 60”`; None where a call edits nothing."""
    if isinstance(args, str):
        return _patch_summary(args)
    path = first_text(args, PATHS)
    edits = args.get("edits") or args.get("changes")
    if isinstance(edits, list) and edits and all(isinstance(each, dict) for each in edits):
        changes = [change for each in edits if (change := _change(each))]
        if changes:
            more = f", and {counted(len(changes) - 1, 'changes')} more" if len(changes) > 1 else ""
            return f"Edited {path or 'a file'}: {changes[0]}{more}"
    if change := _change(args):
        return f"Edited {path or 'a file'}: {change}" if path or "edit" in name.lower() else None
    for key in _PATCHES:
        patch = args.get(key)
        if isinstance(patch, str) and (told := _patch_summary(patch, path)):
            return told
    return _write_summary(name, args, path) if path else None


def first_text(args: Mapping[str, Any], keys: Sequence[str]) -> str:
    for key in keys:
        if isinstance(args.get(key), str) and args[key].strip():
            return str(args[key]).strip()
    return ""


def gist(old: str, new: str) -> str:
    """Return `“old” → “new”` of the changed part, without common lines at either end."""
    before, after = old.splitlines(), new.splitlines()
    while before and after and before[0].strip() == after[0].strip():
        del before[0], after[0]
    while before and after and before[-1].strip() == after[-1].strip():
        del before[-1], after[-1]
    first_old = next((line for line in before if line.strip()), "")
    first_new = next((line for line in after if line.strip()), "")
    if not first_old and not first_new:
        return "only space changed"
    if not first_old:
        told = f"added {quoted(first_new, _SIDE_CHARS)}"
    elif not first_new:
        told = f"removed {quoted(first_old, _SIDE_CHARS)}"
    else:
        told = f"{quoted(first_old, _SIDE_CHARS)} → {quoted(first_new, _SIDE_CHARS)}"
    if max(len(before), len(after)) > 1:
        told += f" (−{len(before)} +{len(after)} lines)"
    return told


def _change(args: Mapping[str, Any]) -> str | None:
    old = next((args[key] for key in _OLD if isinstance(args.get(key), str)), None)
    new = next((args[key] for key in _NEW if isinstance(args.get(key), str)), None)
    if new is None:
        # An insertion has a position, and no old text.
        text = args.get("insert_text") if "insert_line" in args else None
        return gist("", text) if isinstance(text, str) else None
    if old is None and "insert_line" not in args:
        return None
    return gist(old or "", new)


def _write_summary(name: str, args: Mapping[str, Any], path: str) -> str | None:
    lowered = name.lower()
    verb = str(args.get("command", "")).lower()
    writes = any(
        word in f"{lowered} {verb}" for word in ("write", "create", "save", "append", "overwrite")
    )
    content = next((args[key] for key in _WRITTEN if isinstance(args.get(key), str)), None)
    if content is None or not writes:
        return None
    lines = counted(len(content.splitlines()), "lines")
    beginning = next((line for line in content.splitlines() if line.strip()), "")
    begins = f", beginning {quoted(beginning, _SIDE_CHARS)}" if beginning else ""
    return f"{'Appended' if 'append' in f'{lowered} {verb}' else 'Wrote'} {lines} to {path}{begins}"


def _patch_summary(patch: str, path: str = "") -> str | None:
    """Return the changes of a patch: in the format of `diff -u`, git, or `*** Begin Patch`."""
    if not any(
        line.startswith(("@@", "*** Update File:", "*** Add File:")) for line in patch.splitlines()
    ):
        return None
    files: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    for line in patch.splitlines():
        if line.startswith(("*** Update File: ", "*** Add File: ", "*** Delete File: ")):
            files.append(line.partition(": ")[2].strip())
        elif line.startswith("+++ "):
            files.append(line[4:].split("\t")[0].strip().removeprefix("b/"))
        elif line.startswith("-") and not line.startswith("---"):
            removed.append(line[1:])
        elif line.startswith("+"):
            added.append(line[1:])
    named = list(dict.fromkeys(files)) or [path or "a file"]
    more = f" and {len(named) - _FILES} more" if len(named) > _FILES else ""
    return f"Edited {', '.join(named[:_FILES])}{more}: {gist(_joined(removed), _joined(added))}"


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)
