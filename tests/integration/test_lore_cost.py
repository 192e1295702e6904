"""Errors and contexts name patterns that cost too much."""

from __future__ import annotations

from psycopg.types.json import Jsonb

from everword.v1 import context_service_pb2 as context
from everword.v1 import lore_service_pb2 as pb
from support.lore import REGEX, build, entry, import_book, titles_of, trigger, write_book
from support.lore import write_entry as write
from support.lore_loads import SLOW, TEXT, TOO_LARGE
from support.refusals import refused
from support.stack import Stack


def store_pattern(stack: Stack, title: str, *patterns: str) -> None:
    """Store patterns without the limits, like an older release or an import of a namespace."""
    triggers = [{"text": text, "mode": REGEX, "case_sensitive": False} for text in patterns]
    with stack.database.connect() as conn:
        done = conn.execute(
            "UPDATE lore_entries SET triggers = %s WHERE title = %s", [Jsonb(triggers), title]
        )
        assert done.rowcount == 1
        conn.execute("UPDATE lore_books SET version = version + 1")


async def test_write_of_a_costly_pattern_is_refused_with_reason_and_advice(
    stack: Stack,
) -> None:
    book = await write_book(stack)
    for pattern, why in (
        (TOO_LARGE % 1, "more than 5,000 instructions"),
        (SLOW % 1, "µs per byte"),
    ):
        written = entry("Duke", "Limps.", "duke", trigger(pattern, REGEX))
        for refusal, field in (
            (await refused(write(stack, book, written)), "entry.triggers[1].text"),
            (await refused(import_book(stack, [written])), "entries[0].triggers[1].text"),
        ):
            assert refusal.reason == "VALIDATION_FAILED"
            text = refusal.violations[field]
            assert f"of 'Duke', the pattern {pattern!r}, is too costly" in text
            assert why in text
            assert "use fewer and shorter repetitions" in text
    assert not (await stack.lore.ListLoreEntries(pb.ListLoreEntriesRequest(book_id=book))).entries


async def test_context_with_costly_patterns_lists_omitted_entries(stack: Stack) -> None:
    names = [f"slow {number}" for number in range(60)]
    entries = [entry(name, "Costly.", trigger("zq", REGEX)) for name in names]
    cheap = entry("Castle", "Stands on a hill.", trigger(r"\bold\s+castle\b", REGEX))
    plain = entry("Dragon", "Sleeps.", "dragon")
    shown = entry("Knights", "Ride north.", "knights")
    large = entry("Large", "Too large.", trigger("zq", REGEX))
    await import_book(stack, [*entries, cheap, plain, shown, large])
    for number, name in enumerate(names):
        store_pattern(stack, name, SLOW % number)
    store_pattern(stack, "Large", TOO_LARGE % 7)
    store_pattern(stack, "Knights", TOO_LARGE % 8, "knights")

    built = await build(stack, query=TEXT[:8192], token_budget=100_000)
    assert set(titles_of(built)) == {"Castle", "Dragon", "Knights"}
    [first, *others] = built.lore_omissions
    assert (first.title, first.book, first.pattern) == ("Large", "world", TOO_LARGE % 7)
    assert "more than 5,000 instructions" in first.reason
    assert len(others) == 19
    assert {omission.title for omission in others} < set(names)
    assert all(omission.pattern.endswith(omission.title[5:]) for omission in others)
    assert all("take too much time together" in omission.reason for omission in others)

    request = context.StreamContextRequest(context=context.BuildContextRequest(query="Old castle?"))
    *_, last = [part async for part in stack.context.StreamContext(request)]
    assert [omission.title for omission in last.end.lore_omissions] == ["Knights", "Large"]

    refusal = await refused(stack.lore.MatchLore(pb.MatchLoreRequest(text=TEXT)))
    assert refusal.reason == "LORE_TOO_EXPENSIVE"
    assert refusal.metadata["entry"] == "Large"
    assert refusal.metadata["book"] == "world"
    assert refusal.metadata["omissions"] == "20"
    assert "of entry 'Large' in lorebook 'world' is too costly" in refusal.message


async def test_context_with_invalid_stored_patterns_is_answered(stack: Stack) -> None:
    await import_book(stack, [entry("Duke", "Limps.", trigger("zq", REGEX), constant=True)])
    await import_book(stack, [entry("Mill", "Burned.", trigger("zq", REGEX))], name="other")
    store_pattern(stack, "Duke", "(", r"x(?=y)")
    store_pattern(stack, "Mill", "(", "mill")
    built = await build(stack, query="Is the duke at the mill?")
    assert set(titles_of(built)) == {"Duke", "Mill"}
    assert not built.lore_omissions
    [omission] = (await build(stack, query="Who is there?")).lore_omissions
    assert (omission.title, omission.pattern) == ("Mill", "(")
    assert omission.reason == "is not a valid pattern: missing ): (, at character 1"
