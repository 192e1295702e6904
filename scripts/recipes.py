"""A request for every RPC, from `examples/grpcurl`, and the page that shows each as a command.

A file of that folder has the RPCs of a service in an order in which they can be called. RPCs that need ids from a later
service are in a second file, `FactService.learned.json`. `request` is the request, or the list of a stream's requests;
`$NAME` in it is replaced by a value of an earlier answer. `keep` names the values to take from the answer, each with
its `jq` path. `note` is a sentence for the page.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everword.client.servers import PUBLIC_PORTS, public_services, server_of
from everword.client.settings import DEFAULT_ADDRESS
from everword.rpc.settings import PORTS

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples" / "grpcurl"
#: Files of requests, in the order in which the RPCs can be called.
FILES = (
    *("IngestService", "SearchService", "ContextService", "NoteService", "DocumentService"),
    *("LoreService", "FactService", "PatternService", "GraphService", "GraphQueryService"),
    *("FactQueryService", "FactService.learned", "CostService", "MaintenanceService"),
    *("ErasureService", "AdminService", "EmbedderService"),
)
WIDTH = 110
_HEAD = """\
# Recipes

<!-- Written by `make reference` from examples/grpcurl. -->

A command for every RPC, to be pasted into a shell. Start Everword first: `make up`. They can be run one after the
other, from the first to the last: a test does that. What needs a language model, or what Sleep has learned, says so.
[RPCs](rpcs.md) says what each field means.

- `grpcurl` needs no proto files: servers have reflection on. For tools without it, `everword protoset` prints the
  path of a file that describes all of this.
- Ids come from earlier answers. What a text says to be `MESSAGE_ID` below is set by
  `MESSAGE_ID=$(grpcurl … | jq -r '.messages[0].messageId')`, for example.
- Where there are keys, add `-H "authorization: Bearer $EVERWORD_API_KEY"`. With a key of an operator,
  `-H "x-everword-namespace: acme"` says which namespace is meant.
- Where there is TLS, put `-cacert ca.pem` in the place of `-plaintext`.
- `buf`, which comes with the setup, does the same: `.venv/bin/buf curl --protocol grpc --http2-prior-knowledge -d '{…}'
  http://127.0.0.1:50050/everword.v1.NoteService/GetNote`.
- Over HTTP, the same JSON is the body of a POST to the [gateway](../http.md): `curl -H "content-type: application/json"
  -d '{…}' http://127.0.0.1:50056/everword.v1.NoteService/GetNote`.
"""


@dataclass(frozen=True)
class Recipe:
    """One RPC with a request."""

    service: str
    method: str
    #: One, unless the RPC takes a stream.
    requests: list[dict[str, Any]]
    #: Path in the answer of each value to keep, by name.
    keep: dict[str, str]
    note: str

    @property
    def package(self) -> str:
        return "everword.internal.v1" if self.service == "EmbedderService" else "everword.v1"

    @property
    def server(self) -> str:
        """Return who serves it: ingest, search, compactor or embedder."""
        servers = {service.name: server_of(service) for service in public_services()}
        return servers.get(self.service, "embedder")

    @property
    def address(self) -> str:
        """Return the address of the RPC. The embedder is internal and not behind the proxy."""
        server = self.server
        return DEFAULT_ADDRESS if server in PUBLIC_PORTS else f"127.0.0.1:{PORTS[server]}"

    @property
    def command(self) -> str:
        """Return the command for a shell."""
        path = f"{self.address} {self.package}.{self.service}/{self.method}"
        body = "\n".join(_text(each) for each in self.requests)
        if "$" in body or "'" in body:
            return f"grpcurl -plaintext -d @ {path} <<JSON\n{body}\nJSON"
        line = f"grpcurl -plaintext -d '{body}' {path}"
        return (
            line if len(line) <= WIDTH and "\n" not in body else f"{line[: -len(path)]}\\\n  {path}"
        )


def read_recipes() -> list[Recipe]:
    """Return all recipes, in the order in which they can be run."""
    return [
        Recipe(
            file.partition(".")[0],
            method,
            entry["request"] if isinstance(entry["request"], list) else [entry["request"]],
            entry.get("keep", {}),
            entry.get("note", ""),
        )
        for file in FILES
        for method, entry in json.loads(
            (FOLDER / f"{file}.json").read_text(encoding="utf-8")
        ).items()
    ]


def page() -> Iterator[str]:
    """Yield the lines of the page."""
    yield _HEAD.rstrip("\n")
    service, seen = "", set[str]()
    for recipe in read_recipes():
        if recipe.service != service:
            again = ", continued" if recipe.service in seen else ""
            service = recipe.service
            seen.add(service)
            yield from ("", f"## {service}{again}")
        yield from ("", f"### {recipe.method}", "", "```sh", recipe.command, "```")
        kept = ", ".join(f"`{path}` is `{name}`" for name, path in recipe.keep.items())
        said = [recipe.note, f"In the response, {kept} below." if kept else ""]
        if any(said):
            yield from ("", " ".join(filter(None, said)))


def _text(value: Any, indent: int = 0) -> str:
    """Return readable JSON: values that fit into a line are on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or indent + len(line) <= WIDTH - 20:
        return line
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{json.dumps(k)}: {_text(each, indent + 2)}" for k, each in value.items()]
    else:
        parts = [_text(each, indent + 2) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{pad}{f',{chr(10)}{pad}'.join(parts)}\n{' ' * indent}{closing}"
