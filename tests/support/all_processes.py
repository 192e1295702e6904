"""Lets every process of Everword work once: writes, vectors, searches, summaries, a document, and the HTTP servers."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import httpx2

from everword.client import AsyncEverword, Client, ClientSettings
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1.ingest_service_pb2 import INDEXING_STAGE_EMBEDDED, WaitForIndexingRequest
from support import files
from support.calls import append_request, message
from support.command_line import everword
from support.console_site import send
from support.http_process import serving
from support.mcp import http_server, over_http, said

KEY = "operators-key-of-this-run"
SAID = "The cutover to the new ferry is on Thursday at nine."
#: An address without a host; the observer must see the attempt to connect.
BEYOND = ("192.0.2.1", 443)


async def work(running: RunningStack, folder: Path) -> None:
    at = running.addresses
    settings = ClientSettings(at["ingest"], at["search"], at["compactor"], api_key=KEY)
    async with Client.connect(settings) as client:
        turns = [message(f"{n} tickets are left, said the clerk. " * 4) for n in range(30)]
        stored = await client.ingest_service.AppendMessages(append_request(message(SAID), *turns))
        flushed = await client.maintenance_service.FlushConversation(
            maintenance.FlushConversationRequest(
                conversation_id=stored.conversation_id, context_size=1000, notes_saved=True
            )
        )
        assert flushed.summaries
        (folder / "ferry.pdf").write_bytes(files.pdf([[(20.0, "Ferry"), (11.0, "It is blue.")]]))
        uploaded = await everword(
            running, "documents", "upload", str(folder / "ferry.pdf"), EVERWORD_API_KEY=KEY
        )
        assert uploaded.status == 0, uploaded.errors
        embedded = WaitForIndexingRequest(
            consistency_token=stored.consistency_token, stage=INDEXING_STAGE_EMBEDDED
        )
        await client.ingest_service.WaitForIndexing(embedded, timeout=60)
        memory = AsyncEverword(client=client)
        hits = await memory.search("when does the boat change?")
        assert SAID in [hit.passage for hit in hits]
        assert SAID in (await memory.context("when is the cutover?")).text
    await _over_http(running)


async def _over_http(running: RunningStack) -> None:
    async with (
        http_server(running, EVERWORD_API_KEY=KEY) as url,
        over_http(url, authorization=f"Bearer {KEY}") as tools,
    ):
        assert "Thursday" in said(await tools.call_tool("memory_search", {"query": "cutover"}))
    async with (
        serving(running, "web", "--gateway", "{address}") as url,
        httpx2.AsyncClient(base_url=url, headers={"authorization": f"Bearer {KEY}"}) as http,
    ):
        answer = await http.post("/everword.v1.SearchService/Search", json={"query": "cutover"})
        assert "Thursday" in answer.text
    async with (
        serving(running, "web", "--console", "{address}") as url,
        httpx2.AsyncClient(base_url=url, headers={"origin": url}) as http,
    ):
        signed_in = await send(http, "/sign-in", "/sign-in", key=KEY)
        assert signed_in.status_code == 303
        assert (await http.get("/conversations")).status_code == 200


async def main() -> None:
    os.environ["EVERWORD_ADMIN_KEY"] = KEY
    folder = Path(sys.argv[1])
    async with stack(StackSettings(data=None, ports=Ports.free())) as running:
        await work(running, folder)
    try:
        socket.create_connection(BEYOND, timeout=5)
    except ConnectionRefusedError:
        return
    sys.exit("somebody answers beyond this machine")


if __name__ == "__main__":
    asyncio.run(main())
