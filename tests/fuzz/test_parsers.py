from __future__ import annotations

import pytest

from fuzz.parsers import TARGETS
from fuzz.values import HOSTILE

#: What the formats are made of.
_PARTS = ['{"messages":', '[{"role":"user","content":', "- [chat: ", '"', "exit code: ", "3d"]


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "import"])
def test_no_parser_breaks_at_hostile_texts(name: str) -> None:
    for part in ["", *_PARTS]:
        for text in HOSTILE:
            TARGETS[name]((part + text).encode())
