"""The table of steps on the page about Sleep lists the existing stages in order."""

from __future__ import annotations

import re
from pathlib import Path

from everword_compactor.sleep.order import CLOSING_STAGES, SESSION_STAGES

PAGE = Path(__file__).parents[2] / "docs" / "sleep.md"


def test_sleep_page_lists_the_stages_in_order() -> None:
    named = re.findall(r"^\| \S+ \| `([a-z-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    names = [stage.name for stage in SESSION_STAGES] + [stage.name for stage in CLOSING_STAGES]
    assert named == names
