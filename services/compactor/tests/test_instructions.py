"""Standing instructions, preferences and restrictions in users' sentences, and what ends them."""

from __future__ import annotations

import pytest

from everword_compactor.learning.extract.claims import extract
from everword_compactor.learning.extract.model import Modality
from everword_compactor.learning.opposites import find_opposite

STANDING = """
standing_instruction: Always give me metric units please.
standing_instruction: please answer in Norwegian
standing_instruction: don't use emojis
standing_instruction: no emojis please
standing_instruction: Can you always answer in Norwegian?
standing_instruction: please stop apologising, it's tiring
standing_instruction: Whenever you suggest a restaurant, make sure it's wheelchair accessible.
standing_instruction: When you give me numbers, give me the ones with tax.
standing_instruction: Don't explain basic things to me, I've been doing this for years.
standing_instruction: Please don't send me reminders before nine.
standing_instruction: don't call me Margaret, only my bank does
standing_instruction: type hints always
standing_instruction: no React please
standing_instruction: metric units, thanks
standing_instruction: But metric units, thanks.
standing_instruction: Fahrenheit and miles, none of that metric business.
standing_instruction: keep it short
standing_instruction: keep it short pls, i read these on my phone at break
standing_instruction: British spelling
standing_instruction: don't ping me before 9
standing_instruction: So no meetings on Fridays please.
standing_instruction: Use conventional commits, like the other repositories do.
standing_instruction: please keep functions under 40 lines because the linter complains.
standing_instruction: Please write the minutes in Danish, the rest with me can be in English.
standing_instruction: Kindly give the amounts in rupees and not in dollars.
standing_instruction: Please correct my English mistakes, always, but only the important ones.
standing_instruction: Can you keep the minutes under one page, always?
standing_instruction: pls don't use semicolons ever, my teacher says it looks odd
preference: I prefer tea over coffee
preference: I hate it when you repeat my question
preference: I'd rather you didn't use the passive voice.
restriction: I can't have ibuprofen, it makes my asthma flare up
restriction: I don't eat pork.
restriction: Can't take aspirin because of my stomach ulcer, anything else for a headache?
"""

ONE_OFF = """
please answer in Norwegian this time
Answer this one in French, my colleague will read it too.
always wanted to see Rome
Never mind, it works now.
Never say never! Never give up!
Write a poem about the sea. Don't use the word blue.
In this story, always refer to the king as Your Grace.
Show me when you can.
Don't call me, I'm in a meeting.
Please don't send me the file yet.
Don't remind me! Don't show me that again.
I prefer the second one.
I love that you chose blue.
I can't eat another bite. I can't take it any more.
No worries please, take your time. No thanks! As always, thanks.
Write me an email to my boss. Keep it short.
I ran 5 miles and 3 kilometres. Always a pleasure! Best thing ever.
Don't call me before the meeting today.
Never deploy on Fridays. That was the rule at my last job and I miss it.
The waiter was funny. I said "no onions please" and he laughed.
Monday stand-up is in Oak from now on, facilities took Birch away from us.
Please use those dates to find me some other options.
She never answers in English. We never give refunds.
Never give me advice... just kidding.
"""

HELD = (
    "Don't use emojis",
    "please answer in Norwegian",
    "Always give me metric units please",
    "I can't have ibuprofen, it makes my asthma flare up",
    "I can't eat nuts",
)


@pytest.mark.parametrize("line", STANDING.strip().splitlines())
def test_extract_finds_standing_instructions(line: str) -> None:
    attribute, text = line.split(": ", 1)
    [claim] = extract(text)
    assert (claim.attribute, claim.modality) == (attribute, Modality.STATEMENT)
    assert claim.value in text


@pytest.mark.parametrize("text", ONE_OFF.strip().splitlines())
def test_extract_of_a_request_for_one_answer_returns_no_instruction(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    ("sentence", "ended"),
    [
        ("you can use emojis again", "Don't use emojis"),
        ("please reply in English from now on", "please answer in Norwegian"),
        ("you don't need to answer in Norwegian any more", "please answer in Norwegian"),
        ("Please use imperial units from now on", "Always give me metric units please"),
        ("I can have ibuprofen again", "I can't have ibuprofen, it makes my asthma flare up"),
        ("Don't use bullet points", None),
        ("Write code comments in English", None),
        ("I can't eat celery", None),
        ("Always answer in Norwegian", None),
    ],
)
def test_find_opposite_returns_the_instruction_that_a_sentence_ends(
    sentence: str, ended: str | None
) -> None:
    assert find_opposite(HELD, sentence) == ended


def test_instruction_is_cut_from_the_news_and_reasons_around_it() -> None:
    cases = {
        "I maintain the billing service, and from now on please write Go, I can't read Rust": [
            "from now on please write Go"
        ],
        "never commit directly to main, always open a PR": [
            "never commit directly to main",
            "always open a PR",
        ],
        "And please use 24 hour times and keep the questions short in the evenings.": [
            "use 24 hour times",
            "keep the questions short in the evenings",
        ],
    }
    for text, values in cases.items():
        assert [claim.value for claim in extract(text)] == values


def test_instruction_among_several_people_must_address_the_agent() -> None:
    for text in (
        "from now on please be on time",
        "no calls on Fridays please",
        "Never skip the tests",
    ):
        assert extract(text, agent="helper") == []
    for text in ("agent, no calls on Fridays please", "@helper keep the minutes under one page"):
        [claim] = extract(text, agent="helper")
        assert claim.attribute == "standing_instruction"
