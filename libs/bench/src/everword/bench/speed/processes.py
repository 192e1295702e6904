"""Processes of Everword under measurement, without the environment of the user's own Everword."""

from __future__ import annotations

import os
from dataclasses import replace

from everword.embedded.folder import RunningStack
from everword.embedded.process import ProcessSpec
from everword.embedded.services import service_environment, service_specs

#: The owner's own engines, embedder and listeners have no part in it.
_OURS = ("EVERWORD_ADMIN_KEY",)


def inherited() -> dict[str, str]:
    """Return the environment for measured processes: without the user's EVERWORD_ variables."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("EVERWORD_") or name in _OURS
    }


def spec_of(running: RunningStack, name: str) -> ProcessSpec:
    """Return the spec of a process as `everword up` has it, without the user's EVERWORD_ variables."""
    [spec] = [each for each in service_specs(running) if each.name == name]
    told = {
        name: value for name, value in spec.environment.items() if os.environ.get(name) != value
    }
    return replace(spec, environment={**service_environment(running, inherited()), **told})
