"""An Everword in memory, for the tests of agents: `Everword(client=FakeClient())`.

It keeps what is written and finds it by shared words. It ranks nothing by meaning, makes no summaries, learns no facts
from what is said, and knows one namespace. What it cannot do is UNIMPLEMENTED.
"""

from everword.client.fake.services import FakeClient

__all__ = ["FakeClient"]
