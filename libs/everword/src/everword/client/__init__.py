"""The Python client: `Client`, its settings, and the one error that its calls raise."""

from everword.client.client import Client
from everword.client.errors import CallError
from everword.client.settings import ClientSettings

__all__ = ["CallError", "Client", "ClientSettings"]
