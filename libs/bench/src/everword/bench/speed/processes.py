"""Processes of Everword as they are measured: without what the owner's own Everword is told."""

from __future__ import annotations

import os
from dataclasses import replace

from everword.embedded.folder import RunningStack
from everword.embedded.process import ProcessSpec
from everword.embedded.services import service_environment, service_specs

#: The owner's own engines, embedder and listeners have no part in it.
_OURS = ("EVERWORD_ADMIN_KEY",)


def inherited() -> dict[str, str]:
    """Return the environment that what is measured starts from."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("EVERWORD_") or name in _OURS
    }


def spec_of(running: RunningStack, name: str) -> ProcessSpec:
    """Describe a process as `everword up` does, but for what the owner's environment tells Everword."""
    [spec] = [each for each in service_specs(running) if each.name == name]
    told = {
        name: value for name, value in spec.environment.items() if os.environ.get(name) != value
    }
    return replace(spec, environment={**service_environment(running, inherited()), **told})
