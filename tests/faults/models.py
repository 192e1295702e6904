"""Model servers that hang, fail, break off, drip, or answer with garbage."""

from __future__ import annotations

import asyncio
from socket import socket

from faults.world import Fault, Inject, World
from support import scripted_chat as chat
from support import scripted_embedder as embedder
from support.faithful_replies import said_of

#: Values that fit every answer schema.
BULLETS, BULLET_CHARS, SUMMARY_CHARS = 6, 80, 200
#: Duration of a server's misbehaviour, and of an answer that seems never to come, in seconds.
LASTS_S = 5.0
LONG_S = 8.0


def brief(request: chat.Body) -> chat.Reply:
    """Answer briefly and faithfully."""
    said = said_of(request)
    if not isinstance(said, str):
        for bullet in said.get("bullets", []):
            bullet["text"] = bullet["text"][:BULLET_CHARS]
        if "bullets" in said:
            said["bullets"] = said["bullets"][:BULLETS]
        if "summary" in said:
            said["summary"] = said["summary"][:SUMMARY_CHARS]
    return chat.answer(said)


def model_faults() -> list[Fault]:
    to_vectors = {
        "hangs": embedder.slow(LONG_S),
        "fails with 500": embedder.status(500),
        "asks for a pause (429)": embedder.status(429, retry_after="1"),
        "answers garbage": embedder.garbage,
        "breaks off": embedder.reset,
        "sends NaN": embedder.not_a_number,
        "sends too few vectors": embedder.fewer,
    }
    to_chat = {
        "hangs": chat.after(LONG_S, chat.reset()),
        "fails with 500": chat.status(500),
        "asks for a pause (429)": chat.status(429, retry_after="1"),
        "answers garbage": chat.garbage(),
        "breaks off": chat.reset(),
        "breaks off in the middle": chat.reset_after("- It was said that"),
        "drips": chat.drip("- It was said that nothing was said.", LONG_S),
        "is cut off": chat.cut_off("- Half a"),
    }
    return [
        *(Fault(kind, "embedding model", _embed(how)) for kind, how in to_vectors.items()),
        *(Fault(kind, "language model", _chat(how)) for kind, how in to_chat.items()),
    ]


def _embed(behaviour: embedder.Behaviour) -> Inject:
    def misbehave(
        server: embedder.ScriptedEmbedder, right: embedder.Answer, connection: socket
    ) -> embedder.Answer | None:
        # Errors of the server itself stay unchanged.
        return behaviour(server, right, connection) if right.status == 200 else right

    async def inject(world: World) -> None:
        world.embedder.always = misbehave
        await asyncio.sleep(LASTS_S)
        world.embedder.always = None

    return inject


def _chat(reply: chat.Reply) -> Inject:
    async def inject(world: World) -> None:
        world.chat.always = reply
        await asyncio.sleep(LASTS_S)
        world.chat.always = None

    return inject
