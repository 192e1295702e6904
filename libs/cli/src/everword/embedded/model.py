"""The user's own embedding server in place of the local model."""

import json
import subprocess
import sys
from collections.abc import Callable

from everword.db.generations import Generation, Generations, NewGeneration
from everword.embedded.errors import EmbeddedError

#: Module that prints the model served at EVERWORD_EMBED_URL; it runs as a process, because this package must not import
#: the services' code.
DESCRIBE = "everword_embedder.describe"
TIMEOUT_S = 60.0


def adopt_served_model(admin_url: str, endpoint: str, say: Callable[[str], None]) -> None:
    """Make the model at `endpoint`, an OpenAI-compatible server, the one that is embedded with.

    An empty memory switches at once; otherwise the model is built in the background, and the owner switches when it is
    complete. Raises EmbeddedError where the server cannot be asked.
    """
    generations = Generations(admin_url)
    served = _describe()
    known = generations.list()
    if any(_is(each, endpoint, served.model) for each in known if each.state != "retiring"):
        return
    added = generations.add(
        NewGeneration("openai", served.model, served.dimensions, endpoint=endpoint)
    )
    if known[0].passages == 0:
        generations.backfill(added)
        generations.switch(added)
        return
    say(
        f"generation {added} ({served.model}) is being built; when `everword models progress {added}` says it is "
        f"complete, `everword models switch {added}` makes it the one that is searched"
    )


def _is(generation: Generation, endpoint: str, model: str) -> bool:
    return (generation.endpoint, generation.model) == (endpoint, model)


def _describe() -> NewGeneration:
    described = subprocess.run(
        [sys.executable, "-P", "-m", DESCRIBE],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if described.returncode != 0:
        raise EmbeddedError(f"EVERWORD_EMBED_URL cannot be used: {described.stderr.strip()}")
    served = json.loads(described.stdout)
    return NewGeneration("openai", served["model"], served["dimensions"])
