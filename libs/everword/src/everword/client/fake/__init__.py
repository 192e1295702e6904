"""An Everword in memory, for the tests of agents: `Everword(client=FakeClient())`.

It stores writes and finds them by shared words. It ranks nothing by meaning, makes no summaries, learns no facts from
messages, and has one namespace. Other calls are UNIMPLEMENTED.
"""

from everword.client.fake.services import FakeClient

__all__ = ["FakeClient"]
