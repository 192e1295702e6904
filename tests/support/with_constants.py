"""`python -m support.with_constants [NAME=VALUE…] MODULE [ARGUMENT…]`: runs a module like `python -m`, with other
constants.

Users need no shorter leases, sweeps and pauses, so no variable sets them; tests with real processes do. NAME is
`module:CONSTANT` or `module:Class.field`; for a dataclass it sets the field's default.
"""

from __future__ import annotations

import sys
from ast import literal_eval
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import wraps
from itertools import takewhile
from pathlib import Path
from pkgutil import resolve_name
from runpy import run_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from everword.embedded.process import ProcessSpec

#: Interval of a service's sweeps for lost jobs.
SWEEP = "everword.jobs.settings:QueueSettings.sweep_s"
#: Lease of an embedder's worker, and its pause after a model failure.
EMBED_LEASE = "everword_embedder.queue.drain:DrainSettings.lease_s"
EMBED_PAUSE = "everword_embedder.queue.drain:DrainSettings.pause_s"
#: Folder of the package `support`.
TESTS = Path(__file__).resolve().parents[1]


def hasty(spec: ProcessSpec, values: Mapping[str, object]) -> ProcessSpec:
    """Return the process `python … -m MODULE …` with other constants."""
    return replace(
        spec,
        argv=hasty_command(spec.argv, values),
        environment={**spec.environment, "PYTHONPATH": str(TESTS)},
    )


def hasty_command(argv: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """Return the command line of `hasty`; `support` must be found on PYTHONPATH."""
    at = argv.index("-m") + 1
    words = [f"{name}={value!r}" for name, value in values.items()]
    return [*argv[:at], "support.with_constants", *words, *argv[at:]]


def set_constant(name: str, value: object) -> None:
    """Replace an existing constant of a module, or the default of a dataclass's field."""
    path, _, last = name.replace(":", ".").rpartition(".")
    owner: Any = resolve_name(path)
    getattr(owner, last)
    if isinstance(owner, type) and is_dataclass(owner):
        _set_default(owner, last, value)
    setattr(owner, last, value)


def _set_default(owner: Any, field: str, value: object) -> None:
    made = owner.__init__

    @wraps(made)
    def make(self: object, *args: object, **given: object) -> None:
        made(self, *args, **{field: value, **given})

    owner.__init__ = make


def main() -> None:
    words = list(takewhile(lambda word: "=" in word, sys.argv[1:]))
    for word in words:
        name, _, text = word.partition("=")
        set_constant(name, literal_eval(text))
    module, *arguments = sys.argv[1 + len(words) :]
    sys.argv = [module, *arguments]
    run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
