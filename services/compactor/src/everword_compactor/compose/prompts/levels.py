"""The prompts for each level of the summary DAG."""

from __future__ import annotations

from everword_compactor.compose.model import Level

#: A node whose prompt has a lower version is rewritten. Raise it with each change of the instructions, rules included.
PROMPT_VERSIONS = {
    Level.LEAF: 2,
    Level.BRANCH: 2,
    Level.ROOT: 2,
    Level.DAY: 2,
    Level.WEEK: 2,
    Level.MONTH: 2,
    Level.YEAR: 2,
}
_SECTIONS = (
    "Write a section for each topic, with a heading that names it, and the facts as bullets below."
)
_SUMMARY = 'Answer with JSON: {"summary": "..."}.'
_BULLETS = 'Answer with JSON: {"bullets": [{"text": "...", "chats": ["c1"], "via": ["i1"]}]}.'
_VIA = """\
Write one bullet for each event, decision or fact that lasts, in order of time, beginning with `- `. Keep the tags \
[via:...] of what a bullet is made from, letter by letter, at its end."""

INSTRUCTIONS = {
    Level.LEAF: f"""\
The sources are messages of one conversation, in order. Summarise them in full detail: a reader must be able to go on \
with the conversation without them. {_SECTIONS} {_SUMMARY}""",
    Level.BRANCH: f"""\
The sources are summaries of consecutive parts of one conversation, in order. Make one summary of them. Bring what \
belongs to one topic together, and say how it changed: where a later part corrects an earlier one, say both and which \
holds now. Merge what is said twice, and lose nothing else. {_SECTIONS} {_SUMMARY}""",
    Level.ROOT: f"""\
The sources are summaries of long parts of one conversation, in order. Make one summary of the whole conversation: \
what it is about, who takes part, what was decided and done, what holds now, what is open; then topic by topic, with \
every name, identifier and date that still matters. {_SECTIONS} {_SUMMARY}""",
    Level.DAY: f"""\
The sources are the messages of one day, from one or more conversations. Write down what is worth remembering of the \
day: one bullet for each event, fact, decision, plan, feeling or piece of work, in order of time, each understandable \
without the others. In `chats`, name the conversations that a bullet comes from, and in `via` the instances, by the \
short names that the headers give them. Write no tags into the text. {_BULLETS}""",
    Level.WEEK: f"The sources are the days of one week, in order. Make one memory of the week. {_VIA} {_SUMMARY}",
    Level.MONTH: f"""\
The sources are the weeks of one month, in order. Make one memory of the month: what lasted, what changed, what \
mattered most, and its names and dates. {_VIA} {_SUMMARY}""",
    Level.YEAR: f"""\
The sources are the months of one year, in order. Make one memory of the year: its course, its turning points, its \
people, what was begun and finished, with names and dates. {_VIA} {_SUMMARY}""",
}
_MERGED = f"""\
The sources were too long to be read at once. They are summaries of consecutive parts of what you write, in order: \
join them into one. Merge what is said twice, and lose nothing else. {_SECTIONS} {_SUMMARY}"""
_MERGED_BULLETS = f"""\
The sources were too long to be read at once. They are the bullets of consecutive parts of what you write, in order: \
join them into one list. Merge what is said twice, and lose nothing else. Keep the names in `chats` and `via` that the \
tags [chat:...] and [via:...] of a bullet give, and write no tags into the text. {_BULLETS}"""
_MERGED_VIA = f"""\
The sources were too long to be read at once. They are the bullets of consecutive parts of what you write, in order: \
join them into one. {_VIA} {_SUMMARY}"""


def instruction(level: Level, *, merging: bool) -> str:
    """Return the instruction of `level`; `merging` if the sources are parts of the node itself."""
    if not merging:
        return INSTRUCTIONS[level]
    if level is Level.DAY:
        return _MERGED_BULLETS
    return _MERGED_VIA if level.of_calendar else _MERGED
