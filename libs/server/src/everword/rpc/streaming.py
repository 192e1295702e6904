"""Answers of many messages to whoever may not take them."""

from __future__ import annotations

import asyncio

from google.protobuf.message import Message

from everword.domain.errors import DeadlineExceeded
from everword.rpc.interceptors.base import Context
from everword.rpc.interceptors.request_id import send_request_id

#: How long a message waits to be taken, where the call holds a connection to the database meanwhile.
TAKE_S = 60.0


async def write_in_time(context: Context, message: Message) -> None:
    """Send one message of an answer. Raises DeadlineExceeded where those before it were not taken for too long."""
    await send_request_id(context)
    try:
        async with asyncio.timeout(TAKE_S):
            await context.write(message)
    except TimeoutError as error:
        raise DeadlineExceeded(
            "What was sent was not taken for too long; call again, and read on.", limit_s=TAKE_S
        ) from error
