"""Embedding models that become generations: described by the embedder's code, in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from everword.db.generations import Generation, Generations, NewGeneration
from everword.embedded.errors import EmbeddedError

#: Module that prints the properties of a model; it runs as a process, because this package must not import the
#: services' code.
DESCRIBE = "everword_embedder.describe"
#: Seconds for a server to describe its model; a download has no limit.
TIMEOUT_S = 60.0
_FIELDS = frozenset(field.name for field in fields(NewGeneration))


def describe_model(
    request: Mapping[str, Any], timeout_s: float | None = None
) -> tuple[NewGeneration, Mapping[str, Any] | None]:
    """Return the model that `request` names (ModelRequest of the embedder), and the results of a trial if it was tried.

    Progress of a download is shown on standard error. Raises EmbeddedError with what to do.
    """
    described = subprocess.run(
        [sys.executable, "-P", "-m", DESCRIBE, json.dumps(request)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    try:
        found = json.loads(described.stdout)
    except ValueError:
        raise EmbeddedError(
            "the model cannot be described: the package everword-embedder is not installed here, or it "
            "failed (see above)"
        ) from None
    if "error" in found:
        raise EmbeddedError(str(found["error"]))
    model = NewGeneration(**{name: value for name, value in found.items() if name in _FIELDS})
    return model, found["trial"]


def adopt_served_model(admin_url: str, endpoint: str, say: Callable[[str], None]) -> None:
    """Make the model at `endpoint`, an OpenAI-compatible server, the one that is embedded with.

    An empty memory switches at once; otherwise the model is built in the background, and the owner switches when it is
    complete. Raises EmbeddedError where the server cannot be asked.
    """
    generations = Generations(admin_url)
    try:
        served, _ = describe_model({"url": endpoint, "tried": False}, TIMEOUT_S)
    except (EmbeddedError, subprocess.TimeoutExpired) as error:
        raise EmbeddedError(f"EVERWORD_EMBED_URL cannot be used: {error}") from error
    known = generations.list()
    if any(_is(each, endpoint, served.model) for each in known if each.state != "retiring"):
        return
    added = generations.add(served)
    if known[0].passages == 0:
        generations.backfill(added)
        generations.switch(added)
        return
    say(
        f"generation {added} ({served.model}) is being built; `everword models switch {added}` waits until it is "
        "complete and makes it the one that is searched"
    )


def _is(generation: Generation, endpoint: str, model: str) -> bool:
    return (generation.endpoint, generation.model) == (endpoint, model)
