"""Invented statements of a model are detected, and faithful paraphrases pass."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from everword_compactor.compose.checks.faithfulness import MAX_OFFENDERS, check_faithfulness
from everword_compactor.compose.checks.inherited_values import with_inherited
from everword_compactor.compose.checks.prompt_context import PromptContext
from everword_compactor.compose.checks.tags import (
    add_only_instance,
    check_tags,
    render_bullet,
    strip_chat_tags,
    tags_in,
)
from everword_compactor.compose.model import Faithfulness, Level, Source

NOON = datetime(2026, 4, 18, 12, 3, tzinfo=UTC)
CHAT = UUID(int=7)


def said(text: str, *, at: datetime = NOON, instance: str = "home", author: str = "Emi") -> Source:
    return Source(
        id=UUID(int=1),
        level=0,
        text=text,
        earliest_at=at,
        latest_at=at,
        message_count=1,
        conversation_id=CHAT,
        agent="opus",
        channel="chat",
        role=2,
        author=author,
        instance=instance,
    )


def unsupported(content: str, *texts: str, time_zone: str = "UTC") -> list[str]:
    sources = [said(text) for text in texts]
    return list(check_faithfulness(content, sources, time_zone=time_zone).unsupported)


FAITHFUL = [
    # Numbers
    ("The budget is 1,000 dollars.", "I can spend $1000 on it"),
    ("Budget: $1 000 at most.", "up to 1,000 USD"),
    ("It costs 1.000 €.", "Das kostet 1000 Euro"),
    ("Das kostet 3,5 Millionen Euro.", "3,5 Mio Euro"),
    ("The price is 3.50 dollars.", "it's 3.5 dollars"),
    ("Emi weighs 71.5 kg.", "ich wiege 71,5 kg"),
    ("1.234,56 € were paid.", "we paid 1,234.56 EUR"),
    ("They raised 5,000,000.", "raised 5 million!"),
    ("A context of 10k tokens.", "the context has 10,000 tokens"),
    ("It grew by 50 %.", "growth was 50 percent"),
    ("Emi has 3 dogs.", "my three dogs are sweet"),
    ("Emi has three dogs.", "I have 3 dogs"),
    ("Emi tiene 3 perros.", "tengo tres perros"),
    ("Emi is 25.", "I am twenty-five"),
    ("It took 2 to 3 hours, 10–15 km.", "2-3 hours, 10 to 15 km"),
    ("The latency is 10ms.", "latency: 10 ms"),
    ("The 3rd attempt worked.", "my third attempt worked"),
    ("It happened in the 1970s.", "back in the 1970s"),
    ("Rated 8/10.", "I would give it 8 out of 10"),
    ("There were 12 people.", "٣ chairs and ١٢ people"),
    ("３ cats live there.", "3 cats"),
    ("Emi has a 20-year-old car and one bike; both are old.", "the car is 20 years old, a bike too"),
    ("Versions 1.2 and 1.2.3 are out.", "1.2.3 is out"),
    # Dates and times
    ("On April 18, 2026 she left.", "she left on 2026-04-18"),
    ("On 18 April she left.", "I left on 18.04.2026"),
    ("Am 18. April 2026 ging sie.", "left on 4/18/2026"),
    ("Am 18.04. ging sie.", "left on April 18th"),
    ("On 2026-04-18 she left.", "I am leaving today"),
    ("On 17 April 2026 she left.", "I left yesterday"),
    ("From 13 to 19 April 2026.", "13 April until 19 April"),
    ("From 13–19 April.", "the 13th of April through April 19"),
    ("In May 2026 she moves.", "in may I am moving"),
    ("Le 3 août 2025.", "2025-08-03"),
    ("2026年4月18日に会った。", "met on 18 April 2026"),
    ("In May 2026 she moves.", "I move next month"),
    ("In 2025 she moved.", "I moved last year"),
    ("In 2026 she wants to learn Spanish.", "this year I want to learn Spanish"),
    ("She comes at 5 pm.", "I'll be there at 17:00"),
    ("She comes at 17:00.", "I'll be there at 5pm"),
    ("She comes at 17:30.", "see you at 5:30"),
    ("She comes at 5 PM.", "let us meet at 5"),
    ("Um 17 Uhr.", "at 5 p.m."),
    ("Written at 12:03.", "hello"),
    ("2 may follow.", "two may follow"),
    # Identifiers
    ("See https://example.com/a/b?x=1.", "look: https://example.com/a/b?x=1"),
    ("See (https://Example.com/).", "http://www.example.com"),
    ("Write to Emi@Example.com.", "emi@example.com"),
    ("Commit 7f3a9c2 fixed it.", "7f3a9c2d41b0aa fixed it"),
    ("Commit `7f3a9c2` fixed it.", "merged 7f3a9c2"),
    ("PR #482 and #12 were merged.", "PR-482 and issue 12 merged"),
    ("PR-482 was merged.", "merged PR #482"),
    ("GPT-4 and Qwen2.5 and H100.", "gpt 4, Qwen 2.5, h100"),
    ("Uses `search_files` in src/main.py.", "search_files in ./src/main.py"),
    ("Emi writes JavaScript for GitHub.", "Java Script for github"),
    ("everword.text.passages was changed.", "changed everword.text.passages.split"),
    ("Version v2.1.0-rc1 is out.", "v2.1.0-rc1"),
    ("The v2 API.", "version 2 of the API"),
    ("MAX_WORDS is 120.", "MAX_WORDS = 120"),
    ("Red/green/blue, he/she and/or 24/7, e.g. at 7 p.m.", "red, green, blue; 24/7 from 7 pm"),
    ("Id 0b8f2c1a-3b4d-4e5f-8a9b-0c1d2e3f4a5b.", "0B8F2C1A-3B4D-4E5F-8A9B-0C1D2E3F4A5B"),
    # Quotations
    ("She said “I don’t want that”.", "Well: I don't want that!"),
    ('She said "I don\'t … want it".', "I don't at all want it"),
    ("She said «ça suffit».", "Ça suffit!"),
    ("Er sagte „Das reicht“.", "das reicht."),
    ("彼女は「もう十分」と言った。", "彼女がもう十分だと言った"),
    ("The command is `ls -la /tmp`.", "run ls -la /tmp please"),
    # Structure
    ("# 1. Dogs\n1. She likes dogs.\n2) And cats.\n- **3.** Mice.\n## Topic 4: no\n## 5 More", "dogs, cats and mice"),
    ("She likes dogs [#01, #02].", "dogs"),
    ("```\nx = 5\n```", "x = 5"),
    ("Emi told opus on the chat channel.", "hi"),
    ("The car costs $5 and the bike $10.", "5 dollars the car, 10 the bike"),
    ("Энергия стоит 1 000 ₽.", "1000 рублей"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "source"), FAITHFUL)
def test_faithful_statements_pass(content: str, source: str) -> None:
    assert unsupported(content, source) == []


INVENTED = [
    ("The budget is 1,001 dollars.", "I can spend $1000", "1,001 dollars"),
    ("It costs 2.500 €.", "Das kostet 25 Euro", "2.500 €"),
    ("3,6 Liter.", "3,5 Liter", "3,6 liter"),
    ("They raised 6 million.", "raised 5 million", "6 million"),
    ("A context of 12k.", "12 tokens, 10k context", "12k"),
    ("It grew by 60%.", "growth was 50 percent", "60%"),
    ("Emi has 4 dogs.", "my three dogs", "4"),
    ("Emi has seven dogs.", "my three dogs", "seven"),
    ("Emi has twenty-six dogs.", "twenty five dogs", "twenty-six"),
    ("Über ٤ Hunde.", "3 Hunde", "4"),
    ("On April 19, 2026 she left.", "she left on 2026-04-17", "april 19, 2026"),
    ("On 18 April 2025 she left.", "she left on 2026-04-18", "18 april 2025"),
    ("On 2026-04-16 she left.", "I left yesterday", "2026-04-16"),
    ("Am 18. Mai ging sie.", "left on April 18th", "18. mai"),
    ("From 13–20 April.", "13 April until 19 April", "13–20 april"),
    ("In June 2026 she moves.", "in may I am moving", "june 2026"),
    ("In June 2026 she moves.", "I move next month", "june 2026"),
    ("2026年4月19日", "18 April 2026", "2026年4月19日"),
    ("In 2024 she moved.", "I moved", "2024"),
    ("She comes at 6 pm.", "17:00", "6 pm"),
    ("She comes at 5 pm.", "at 5 am", "5 pm"),
    ("She comes at 17:45.", "at 17:30", "17:45"),
    ("See https://example.com/a/c.", "https://example.com/a/b", "https://example.com/a/c"),
    ("Write to emi@example.org.", "emi@example.com", "emi@example.org"),
    ("Commit 7f3a9c3 fixed it.", "7f3a9c2d41b0 fixed it", "7f3a9c3"),
    ("Commit 7f3a9c2d fixed it.", "7f3a9c2 fixed it", "7f3a9c2d"),
    ("Merged deadbeef12 today.", "merged it", "deadbeef12"),
    ("PR #483 was merged.", "PR #482 merged, 483 lines", "#483"),
    ("PR-483 was merged.", "PR-482 merged, 483 lines", "PR-483"),
    ("Uses search_dirs.", "search_files and dirs", "search_dirs"),
    ("Uses search_files.", "search the files", "search_files"),
    ("Uses SearchDirs.", "SearchFiles", "SearchDirs"),
    ("In src/other.py.", "src/main.py", "src/other.py"),
    ("everword.text.literals was changed.", "everword.text.passages", "everword.text.literals"),
    ("Version 2.1.1 is out.", "2.1.0", "2.1.1"),
    ("GPT-5 was used.", "gpt-4, 5 times", "GPT-5"),
    ("MIN_WORDS is small.", "MAX_WORDS is small", "MIN_WORDS"),
    ("She said “I want that”.", "I don't want that", "I want that"),
    ('She called it "wonderful".', "it was nice", "wonderful"),
    ("She said «ça va».", "Ça suffit!", "ça va"),
    ("The command is `rm -rf /`.", "ls -la /", "rm -rf /"),
    ("彼女は「もう無理」と言った。", "もう十分だと言った", "もう無理"),
    (r"The angle is $\alpha$.", "the angle is alpha", r"$\alpha$"),
    (r"It is \frac{1}{2}.", "it is 1 of 2", r"\frac"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "source", "offender"), INVENTED)
def test_invented_values_are_reported(content: str, source: str, offender: str) -> None:
    assert unsupported(content, source) == [offender]


@pytest.mark.parametrize("text", sorted({source for _, source in FAITHFUL}))
def test_text_is_supported_by_itself(text: str) -> None:
    assert unsupported(text, text) == []


def test_times_are_verified_in_the_given_time_zone() -> None:
    content = "On 19 April at 00:30 she wrote."
    late = datetime(2026, 4, 18, 22, 30, tzinfo=UTC)
    shown = check_faithfulness(content, [said("hello", at=late)], time_zone="Europe/Berlin")
    assert shown.faithful
    other = check_faithfulness(content, [said("hello", at=late)], time_zone="UTC")
    assert other.unsupported == ["19 april", "00:30"]


def test_titles_and_counts_shown_in_the_prompt_are_supported() -> None:
    content = "The conversation “Garden plans” has 42 messages."
    assert not check_faithfulness(content, [said("hello")], time_zone="UTC").faithful
    shown = PromptContext(["Garden plans 8"], message_count=42)
    assert check_faithfulness(content, [said("hello")], time_zone="UTC", shown=shown).faithful
    for number in ("42 beds", "8 beds", "8 messages"):
        other = check_faithfulness(
            f"It has {number}.", [said("hello")], time_zone="UTC", shown=shown
        )
        assert other.unsupported, number


def test_quotation_must_come_from_a_single_source() -> None:
    assert unsupported('She said "cats and dogs".', "cats", "and dogs") == ["cats and dogs"]


def test_latex_present_in_a_source_is_supported() -> None:
    assert unsupported(r"She typed $\alpha$.", r"how do I write $\alpha$?") == []


def test_unsupported_values_are_reported_once_and_at_most_fifty() -> None:
    content = ", ".join(f"{number}, {number}" for number in range(100, 200))
    named = unsupported(content, "none")
    assert len(named) == MAX_OFFENDERS
    assert named[:2] == ["100", "101"]


def test_source_coverage_is_the_share_of_sources_mentioned() -> None:
    sources = [
        said("I painted the fence yesterday"),
        said("My sister Jolene moved to Lisbon"),
        said("The invoice is overdue"),
        said("ok"),
    ]
    half = check_faithfulness("Emi was painting. Jolene moved.", sources, time_zone="UTC")
    assert half.source_coverage == pytest.approx(2 / 3)
    whole = check_faithfulness(
        "Emi painted; Jolene is in Lisbon; an invoice.", sources, time_zone="UTC"
    )
    assert whole.source_coverage == 1


def test_identifier_coverage_is_the_share_of_identifiers_mentioned() -> None:
    sources = [
        said("merged PR-482 as 7f3a9c2d41"),
        said("see src/main.py and https://example.com/x"),
    ]
    checked = check_faithfulness("PR-482 was merged; see `src/main.py`.", sources, time_zone="UTC")
    assert checked.identifier_coverage == pytest.approx(2 / 4)
    assert check_faithfulness("x", [said("hello")], time_zone="UTC").identifier_coverage == 1


def test_check_of_a_long_day_takes_time_linear_in_its_length() -> None:
    line = "On {} we merged PR-{} into src/part_{}.py at 5:30 pm, see https://example.com/{}"
    texts = [line.format(n, n, n, n) for n in range(3_000)]
    content = "\n".join(f"- {text}" for text in texts)
    began = time.process_time()
    checked = check_faithfulness(content, [said(text) for text in texts], time_zone="UTC")
    assert checked.faithful
    assert time.process_time() - began < 45


@pytest.mark.parametrize(
    "text",
    [
        "x" * 50_000,
        "a1" + "b" * 5_000 + "_",
        "-" * 20_000 + "x",
        "a-" * 10_000,
        "a." * 10_000,
        "/a" * 10_000,
        "aB" * 10_000,
        "1.2," * 10_000,
        "1 " * 20_000,
        '"a ' * 5_000,
        "[via:" * 5_000,
        " " * 20_000 + "x",
        "may " * 5_000 + "5",
        "a@" * 5_000,
        "$x" * 5_000,
    ],
    ids=lambda text: text.strip()[:6],
)
def test_check_of_pathological_text_is_fast(text: str) -> None:
    began = time.process_time()
    check_faithfulness(text, [said(text)], time_zone="UTC", level=Level.DAY)
    strip_chat_tags(text)
    assert time.process_time() - began < 30


@pytest.mark.parametrize("name", ["home", "a]b", "back\\slash", "x] [chat:y", "two\nlines", "日本"])
def test_tag_is_parsed_back_to_its_name(name: str) -> None:
    bullet = render_bullet("text", [str(CHAT)], [name])
    assert "\n" not in bullet
    assert tags_in(bullet) == [("chat", str(CHAT)), ("via", " ".join(name.split()))]


def test_day_bullet_must_have_conversation_and_instance_tags_of_its_sources() -> None:
    sources = [said("dogs")]
    right = render_bullet("dogs", [str(CHAT)], ["home"])
    assert check_tags(right, sources, Level.DAY) == []
    assert check_tags(render_bullet("dogs", [], ["home"]), sources, Level.DAY) == [
        "no [chat:]: - dogs [via:home]"
    ]
    assert check_tags(render_bullet("dogs", [str(CHAT)], []), sources, Level.DAY) == [
        f"no [via:]: - dogs [chat:{CHAT}]"
    ]
    foreign = render_bullet("dogs", [str(UUID(int=8))], ["office"])
    assert check_tags(foreign, sources, Level.DAY) == [f"[chat:{UUID(int=8)}]", "[via:office]"]
    assert check_tags("dogs", sources, Level.LEAF) == []
    assert check_tags("dogs", [said("dogs", instance="")], Level.WEEK) == []


def test_tag_text_in_a_message_does_not_make_a_tag_valid() -> None:
    sources = [said("I am [via:office]")]
    assert check_tags("- x [via:office]", sources) == ["[via:office]"]


def test_week_bullets_keep_instance_tags_and_drop_conversation_tags() -> None:
    day = Source(
        id=UUID(int=2),
        level=Level.DAY,
        text=f"- dogs [chat:{CHAT}] [via:home]\n- cats [chat:{CHAT}] [via:office]",
        earliest_at=NOON,
        latest_at=NOON + timedelta(hours=1),
        message_count=2,
    )
    kept = strip_chat_tags(day.text)
    assert kept == "- dogs [via:home]\n- cats [via:office]"
    assert check_tags(kept, [day], Level.WEEK) == []
    assert check_tags(day.text, [day], Level.WEEK) == [f"[chat:{CHAT}]"]
    assert check_tags("- dogs", [day], Level.WEEK) == ["no [via:]: - dogs"]
    assert add_only_instance("- dogs", [day]) == "- dogs"
    assert add_only_instance("- dogs\ntext", [said("dogs")]) == "- dogs [via:home]\ntext"


@pytest.mark.parametrize(
    ("content", "invention", "is_taken"),
    [
        ("- The meeting was on 2026-04-12 at 12:30 [via:pi]", "2", False),
        ("- It has 2 doors [via:pi]", "2", True),
        ("- Version 1.2.3 is out", "2.3", False),
        ("- It was in the 12th row [via:17 May 2031]", "17 may 2031", False),
        ("- She left on 2031-05-17", "17 may 2031", True),
        ('- She said "we need 3 pumps"', "we need 3 pumps", True),
        ("- There are 3 dogs", "we need 3 pumps", False),
        ("- See https://a.org/b2", "https://a.org/b", False),
        ("- It is \\frac of it", "\\frac", True),
        ("- On Monday Bo sold the red boat [via:pi]", "Bo sold the red boat", True),
        ("- Cem sold the red boat", "Bo sold the red boat", False),
        ("- Bo never sold the red boat", "Bo sold the red boat", False),
        ("- The pump costs 40 euros", "the pump costs 50 euros", False),
        ("- The pump costs 50 euros", "the pump costs 50 euros", True),
    ],
)
def test_value_invented_by_a_source_is_reported_if_repeated(
    content: str, invention: str, is_taken: bool
) -> None:
    found = with_inherited(Faithfulness(["4711"], (), 1.0, 1.0), content, [invention])
    assert list(found.unsupported) == ["4711"] + [invention] * is_taken


def test_leaf_may_repeat_tag_like_text_of_a_message() -> None:
    pasted = [said("I pasted this: see [chat:abc] please.")]
    assert not check_tags("- see [chat:abc]", pasted, Level.LEAF)
    assert check_tags("- see [chat:abd]", pasted, Level.LEAF)
    assert check_tags(f"- see [chat:abc] [chat:{CHAT}] [via:home]", pasted, Level.DAY)
