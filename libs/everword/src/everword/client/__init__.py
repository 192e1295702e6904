"""The Python client: `Client`, its settings, and the errors of both.

```python
import asyncio

from everword.client import Client
from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.memory_pb2 import ROLE_USER, NewMessage


async def main() -> None:
    async with Client.connect() as memory:
        written = await memory.append(
            ConversationKey(session_key="thread-7", agent="opus"),
            [NewMessage(role=ROLE_USER, author="Ana", content="The VPN drops every day at noon.")],
        )
        found = await memory.search(
            "When does the VPN drop?", at_least_as_fresh=written.consistency_token
        )
        for result in found.results:
            print(f"{result.score:.2f} {result.memory.author}: {result.passage}")


asyncio.run(main())
```
"""

from everword.client.client import Client
from everword.client.errors import CallError
from everword.client.settings import ClientSettings, ClientSettingsError

__all__ = ["CallError", "Client", "ClientSettings", "ClientSettingsError"]
