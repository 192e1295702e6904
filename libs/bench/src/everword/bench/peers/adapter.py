"""`python -m everword.bench.peers.adapter PEER FOLDER MODEL FORM`: one peer behind JSON lines.

It runs in the peers' environment. A request is `{"do": "add", "space", "messages": [[id, text], …]}`,
`{"do": "finish"}` or `{"do": "search", "space", "query", "limit"}`; each gets one line: an object, with `error` if the
request failed. The first line of output says that the peer is ready, and its version. The end of input ends it.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from everword.bench.peers.libraries import DISTRIBUTIONS, Library, open_library
from everword.bench.peers.minilm import MiniLM


def answer(library: Library, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out one request; `seconds` is the time of the library's own call."""
    started = time.perf_counter()
    match request["do"]:
        case "add":
            library.add(request["space"], [(id_, text) for id_, text in request["messages"]])
            done: dict[str, Any] = {}
        case "finish":
            library.finish()
            done = {}
        case "search":
            done = {"ids": library.search(request["space"], request["query"], request["limit"])}
        case other:
            raise ValueError(f"there is no request {other!r}")
    return {"seconds": time.perf_counter() - started, **done}


def serve(library: Library, requests: TextIO, answers: TextIO) -> None:
    """Answer requests until the input ends."""
    for line in requests:
        try:
            reply = answer(library, json.loads(line))
        except Exception as error:
            traceback.print_exc()
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=answers, flush=True)


def main() -> None:
    peer, folder, model, form = sys.argv[1:]
    # Libraries print to the standard output; only answers may go to the one that was given.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    library = open_library(peer, Path(folder), MiniLM(Path(model), form))
    ready = {"ready": True, "version": version(DISTRIBUTIONS[peer])}
    print(json.dumps(ready), file=answers, flush=True)
    serve(library, sys.stdin, answers)


if __name__ == "__main__":
    main()
