"""Fact lines of a model: which are accepted, whose facts they are, and with what sentence."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from everword_compactor.sleep.model import (
    ASSISTANT_ROLE,
    USER_ROLE,
    SessionMessage,
    SleepConversation,
    SleepSession,
)
from everword_compactor.sleep.stages.observe import (
    MOST_LINES,
    MessageWindow,
    may_state_fact,
    read_lines,
    windows,
)

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
CLIMB = "I go bouldering twice a week, and my brother Tim sells bikes in Ghent."


def session(*texts: str, subject: str = "Sam") -> SleepSession:
    """Return a session; texts that begin with `>` are the agent's."""
    messages = [
        SessionMessage(
            uuid4(),
            number,
            ASSISTANT_ROLE if text.startswith(">") else USER_ROLE,
            "opus" if text.startswith(">") else "Sam",
            text.lstrip(">"),
            NOON,
        )
        for number, text in enumerate(texts, 1)
    ]
    return SleepSession(UUID(int=9), SleepConversation(UUID(int=8), "opus", "", subject), messages)


def read(line: str, *texts: str) -> str:
    """Return the fact of a line as it is accepted for the last of some messages; empty if it is dropped."""
    shown = session(*texts)
    before = shown.messages[-2] if len(texts) > 1 else None
    checked = read_lines(shown, MessageWindow(before, shown.messages[-1:]), {"facts": [line]})
    assert not checked.complaints
    return "".join(
        f"{each.about or '-'} {each.attribute}={each.value}{' ?' if each.hypothesis else ''}"
        for each in checked.value
    )


@pytest.mark.parametrize(
    ("line", "text", "fact"),
    [
        ("user | sport | bouldering", CLIMB, "- sport=bouldering"),
        ("Sam | sport | bouldering", CLIMB, "- sport=bouldering"),
        ("me | sport | bouldering twice a week", CLIMB, "- sport=bouldering twice a week"),
        ("user | brother | Tim", CLIMB, "- sibling=Tim"),
        ("Tim | job | sells bikes", CLIMB, "Tim job=sells bikes"),
        # Invented values, people and numbers.
        ("user | employer | Acme Corp", CLIMB, ""),
        ("user | sport | bouldering 3 times a week", CLIMB, ""),
        ("Anna | job | sells bikes", CLIMB, ""),
        ("user | sister | Tim", CLIMB, ""),
        # No facts of a user's life.
        ("user | question | bouldering", CLIMB, ""),
        ("user | sport | it", CLIMB, ""),
        ("opus | sport | bouldering", CLIMB, ""),
        ("bouldering", CLIMB, ""),
        ("user | sport | bouldering | climbing | weekly", CLIMB, ""),
        # A value of two people's attributes belongs to the one that the sentence is about.
        ("user | residence | Ghent", "My brother lives in Ghent.", "brother residence=Ghent"),
        ("user | job | baker", "She is a baker in Ghent.", ""),
        ("Tim | residence | Ghent", "Tim called. I live in Ghent.", "- residence=Ghent"),
        ("user | father | diabetic", "My dad is diabetic.", "father condition=diabetic"),
        ("user | dad's age | 74", "My dad is 74.", "father age=74"),
        (
            "Rita | lactose intolerance",
            "Rita's lactose intolerant.",
            "Rita intolerance=lactose intolerance",
        ),
        ("user | vegetarian | yes", "I'm vegetarian now.", "- note=vegetarian"),
        ("user | age | 9", "We have been married for 9 years.", ""),
        ("user | allergy | coriander", "I can't stand coriander.", ""),
        ("user | residence | bike shop", "I run a bike shop.", ""),
        ("user | residence | Berlin", "Berlin it is.", "- residence=Berlin"),
        ("user | job | organ builder", "I build organs.", "- job=organ builder"),
        ("user | job | climbing", "These days I mostly climb on Mondays.", ""),
        ("user | dad | Cork", "My dad has an operation soon, he is in a clinic in Cork.", ""),
        # The subject of the clause has the fact, and a taste, a cut text or a name is none.
        ("user | age | 40", "Arjun turns 40 soon, so I need a cake.", "Arjun age=40"),
        ("user | job | rota", "I like my job, I just hate the rota.", ""),
        ("user | residence | Boulder", "I ran the Boulder half marathon.", ""),
        ("user | pet | Rex", "I walked Rex, my brother's dog.", ""),
        ("user | pet | breakfast time", "My cat says it is breakfast time.", ""),
        ("user | medication | 25 mg", "I take topiramate, 25 mg.", ""),
        ("user | mood | totally fine", "I am totally fine.", ""),
        # A detail of the moment is a guess, a habit is not.
        (
            "user | fridge contents | squash",
            "The fridge has a squash.",
            "- fridge_contents=squash ?",
        ),
        ("user | tea | oat milk", "I take my tea with oat milk.", "- tea=oat milk"),
        # Right words under a wrong attribute.
        ("user | diet | meat", "I don't eat meat.", "- diet=no meat"),
        ("user | condition | allergic to nuts", "I'm allergic to nuts.", "- allergy=nuts"),
        ("user | asthma | since school", "I've had asthma since school.", "- condition=asthma"),
        ("user | diet | no leeks", "No leeks, they taste like soap.", "- dislike=leeks"),
        # Orders to the agent.
        (
            "user | instruction | give weights in grams",
            "Give weights in grams.",
            "- instruction=give weights in grams",
        ),
        ("user | instruction | stop showering", "I vote that we stop showering.", ""),
        # Guesses, wishes, conditions, quotations, jokes.
        ("user | partner | Arjun", "I want to go with my husband Arjun.", "- partner=Arjun"),
        ("user | pet | dog", "Maybe we'll get a dog.", "- pet=dog ?"),
        ("user | pet | dog ?", "We got a dog.", "- pet=dog ?"),
        ("user | home | boat", "If I win, I move to a boat.", "- residence=boat ?"),
        (
            "Tim | allergy | dogs",
            "Maybe next year, but Tim is allergic to dogs.",
            "Tim allergy=dogs",
        ),
        ("user | job | baker", 'Translate "I have been a baker for years" please.', ""),
        ("user | like | The Wire", 'I love "The Wire" so much.', "- like=The Wire"),
        ("user | job | Hemingway", "She keeps telling people I'm the next Hemingway.", ""),
        ("user | job | astronaut", "Imagine I am an astronaut.", ""),
        # Questions, denials and former values.
        ("user | like | Ghent", "What is Ghent like?", ""),
        ("user | trip | Ghent", "Can you plan my trip to Ghent?", "- trip=Ghent ?"),
        ("user | pet | dog", "We do not have a dog.", ""),
        ("user | dislike | coriander", "I can't stand coriander.", "- dislike=coriander"),
        ("user | medication | lisinopril", "Can't, I'm on lisinopril.", "- medication=lisinopril"),
        ("user | job | baker", "I used to be a baker.", "- former_job=baker"),
        ("user | former gym | Flash", "These days I climb at the Flash.", "- gym=Flash"),
        ("user | former city | Bonn", "We moved here from Bonn.", "- former_residence=Bonn"),
    ],
)
def test_line_is_accepted_as_the_message_states_it(line: str, text: str, fact: str) -> None:
    assert read(line, text) == fact


def test_short_answer_confirms_the_question_of_an_agent_and_nothing_else() -> None:
    asked = ">You could try rugby. Is Pia your only child?"
    assert read("user | child | Pia", asked, "Yes, just her.") == "- child=Pia"
    assert read("user | sport | rugby", asked, "Yes, just her.") == ""
    assert read("user | child | Pia", asked, "No, there are two.") == ""


def test_relative_of_the_message_before_is_quoted_from_there() -> None:
    earlier = "My sister-in-law Kaori and my niece Yuki came."
    assert read("user | sister-in-law | Kaori", earlier, "They left.") == "- sister_in_law=Kaori"
    assert read("user | sister | Yuki", earlier, "They left.") == ""
    assert read("user | guest | Yuki", earlier, "They left.") == ""


def test_other_languages_are_compared_by_words_alone() -> None:
    german = "Meine Schwester Rita wohnt seit Mai mit uns in Wien."
    assert read("user | sister | Rita", german) == "- sibling=Rita"
    assert read("Rita | residence | Wien", german) == "Rita residence=Wien"
    assert read("Rita | residence | Graz", german) == ""
    assert read("user | residence | 里斯本", "我和妹妹住在里斯本。") == "- residence=里斯本"
    assert read("user | residence | 柏林", "我和妹妹住在里斯本。") == ""
    assert read("user | mood note | 🙂", "Yes 🙂, as always.") == ""


def test_windows_hold_one_user_message_and_skip_plain_questions() -> None:
    long = "My cat sleeps on the shelf. " * 70
    shown = session(
        "Hi!", ">Wait …", ">Where do you live?", "Ghent.", "What is a fjord?", long, ">Ok."
    )
    found = list(windows(shown))
    assert [[each.seq for each in window.messages] for window in found] == [[1], [3, 4], [5], [6]]
    assert [window.before.seq if window.before else 0 for window in found] == [0, 2, 4, 5]
    assert [may_state_fact(window) for window in found] == [False, True, False, True]


def test_repeated_lines_and_things_are_dropped_and_a_full_answer_is_marked() -> None:
    text = "I sold the old Corsa for 1,900, and ride a Brompton. " + ", ".join(
        f"I own lamp{chr(97 + n)}" for n in range(MOST_LINES)
    )
    shown = session(text)
    window = MessageWindow(None, shown.messages)

    def values(*lines: str) -> list[str]:
        return [each.value for each in read_lines(shown, window, {"facts": lines}).value]

    assert values(
        "user | vehicle | Corsa",
        "user | vehicle | old Corsa",
        "user | bike | Brompton",
        "user | bicycle | Brompton",
        "Brompton | price | 1,900",
    ) == ["Corsa", "Brompton"]
    lamps = [f"user | lamp {n} | lamp{chr(97 + n)}" for n in range(MOST_LINES)]
    assert read_lines(shown, window, {"facts": lamps}).is_full
    assert not read_lines(shown, window, {"facts": lamps[1:]}).is_full


def test_users_of_a_group_are_told_apart_by_name() -> None:
    messages = [
        SessionMessage(uuid4(), 1, USER_ROLE, "Ann", "I live in Ghent.", NOON),
        SessionMessage(uuid4(), 2, USER_ROLE, "Bo", "I live in Oslo.", NOON),
    ]
    group = SleepSession(UUID(int=9), SleepConversation(UUID(int=8), "opus", "", ""), messages)
    lines = ["Ann | residence | Ghent", "Bo | residence | Oslo", "user | city | Oslo"]
    found = read_lines(group, MessageWindow(None, messages), {"facts": lines}).value
    assert [(each.subject, each.about, each.value) for each in found] == [
        ("Ann", "", "Ghent"),
        ("Bo", "", "Oslo"),
    ]
