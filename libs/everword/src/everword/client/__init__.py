"""The Python client: `Everword`, `AsyncEverword`, `Client` with the stubs of every service, and their errors.

```python
from everword.client import Everword

with Everword() as memory:
    memory.append("thread-7", "The VPN drops every day at noon.", agent="opus", subject="Ana")
    for hit in memory.search("When does the VPN drop?"):
        print(f"{hit.score:.2f} {hit.memory.role}: {hit.passage}")
```
"""

from everword.client.blocking import Everword
from everword.client.channel import Tls
from everword.client.client import Client
from everword.client.errors import CallError
from everword.client.everword import AsyncEverword
from everword.client.settings import ClientSettings, ClientSettingsError
from everword.client.types import (
    Context,
    ContextPart,
    Expansion,
    Fact,
    Hit,
    Memory,
    Message,
    Note,
    SearchHits,
    Turns,
)

__all__ = [
    "AsyncEverword",
    "CallError",
    "Client",
    "ClientSettings",
    "ClientSettingsError",
    "Context",
    "ContextPart",
    "Everword",
    "Expansion",
    "Fact",
    "Hit",
    "Memory",
    "Message",
    "Note",
    "SearchHits",
    "Tls",
    "Turns",
]
