"""Lines chosen without a model: their content, total length, and format."""

from __future__ import annotations

from everword_compactor.compose.extractive.budget import DENSE_SHARE, SHARES
from everword_compactor.compose.extractive.bullets import Bullet, read_lines, write_groups
from everword_compactor.compose.model import Level
from support.extractive import as_source, compose, message, talk

LECTURE = (
    """Certainly! Let's plan it.

### Step 1: Hosting

1. **Choose a Region**:
   - Frankfurt suits people in Vienna, who wait for 18 ms there.
2. **Monitoring**
   - Set up alerts for the disk, the memory and the load of each host that you rent.

| Host | Price |
|---|---|
| cx-22 | 4.51 EUR a month |

```python
import os
client = Client(token=os.environ["TOKEN"])
```
"""
    + "It is good practice to review your whole setup again from time to time. " * 10
)
ASKED = (
    "I want to move our shop to a host in Frankfurt before 14 May, because the old one costs 61 euros a month.\n"
    "```\nserver { listen 443; }\n```\nHere is what I tried:\nMy colleague Ines keeps the keys."
)


def test_user_statements_rank_before_assistant_lists_and_headings_are_omitted() -> None:
    asked = message(0, "", ASKED)
    answered = message(1, "", LECTURE, role=3)
    texts = [bullet.text for bullet in read_lines(compose(Level.LEAF, [asked, answered]).content)]
    assert "My colleague Ines keeps the keys." in texts
    assert ASKED.splitlines()[0] in texts
    # The same if everything fits.
    roomy = [message(n, "", LECTURE, role=3) for n in range(2, 9)]
    texts += [bullet.text for bullet in read_lines(compose(Level.LEAF, [answered, *roomy]).content)]
    assert "Frankfurt suits people in Vienna, who wait for 18 ms there." in texts
    for left_out in (
        "Step 1",
        "Choose a",
        "Monitoring",
        "Host | Price",
        "---",
        "import",
        "client",
        "Here is",
        "Certainly",
    ):
        assert not [text for text in texts if left_out in text]


def test_lines_full_of_identifiers_get_a_larger_share() -> None:
    bills = [
        message(
            n,
            "Ann",
            f"Invoice INV-{n:04} over {n},284.50 EUR, due 2024-03-{n + 1:02}, order PO-88{n:03}.",
        )
        for n in range(10)
    ]
    size = sum(len(bill.text) for bill in bills) / 4
    composed = compose(Level.LEAF, bills)
    kept = sum(f"INV-{n:04}" in composed.content for n in range(10))
    assert kept >= 5
    assert SHARES[Level.LEAF] * size < composed.token_count <= DENSE_SHARE * size + 3


def test_written_groups_are_parsed_back_unchanged() -> None:
    at, later = "2026-04-18T12:05Z", "2026-04-18T13:01Z"
    bullets = [
        Bullet("One: it is.", at, "Emi", " [chat:a] [via:b]"),
        Bullet("Two.", at, "Emi", " [chat:a] [via:b]"),
        Bullet("Three.", at, "Tom", " [chat:a] [via:b]"),
        Bullet("Four.", later, "Tom", " [chat:a] [via:b]"),
        Bullet("Five.", later, "Tom"),
        Bullet("Six: of a model.", tags=" [chat:c]"),
        Bullet("Seven.", later, "Tom", " [chat:c]"),
    ]
    assert read_lines(write_groups(bullets)) == bullets
    assert write_groups(bullets[:4]).splitlines() == [
        f"[{at}] [chat:a] [via:b]",
        "- Emi: One: it is.",
        "  Two.",
        "- Tom: Three.",
        f"[{later}]",
        "- Tom: Four.",
    ]


def test_month_and_year_of_one_week_repeat_its_text() -> None:
    weeks = [
        as_source(
            Level.WEEK,
            compose(Level.WEEK, [as_source(Level.DAY, compose(Level.DAY, talk()), talk())]),
            talk(),
        )
    ]
    month = compose(Level.MONTH, weeks)
    year = compose(Level.YEAR, [as_source(Level.MONTH, month, talk())])
    assert year.content == month.content == weeks[0].text
