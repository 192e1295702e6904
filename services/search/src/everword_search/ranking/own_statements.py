"""Rank what users say themselves before long answers of the assistant when a question is about the user.

An assistant's paragraph about coffee shares more words with "How do I take my coffee?" than the user's "Black, please",
but does not answer it. A higher score for some messages of users, such as short ones, was worse: they then precede
other messages of users that match better (nDCG@10 of BEAM 100K .690 instead of .717).
"""

from __future__ import annotations

import re

import numpy as np

from everword.v1.memory_pb2 import ROLE_ASSISTANT
from everword_search.kernels.arrays import Floats
from everword_search.ranking.features.pool import Pool

#: Subtracted from the score of a long answer, in the models' unit.
ANSWER_WEIGHT = 4.0
#: Minimum words of a long answer; shorter ones often confirm a statement of the user.
_LEAST_WORDS = 20
#: Words by which users speak of themselves, in the languages of the development sets, and by which agents do.
_ABOUT_USER = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|us|our|ours|the user|user's"
    r"|ich|mich|mir|mein(?:e[mnrs]?)?|wir|uns|unser(?:e[mnrs]?)?|(?:der|dem|den|die) nutzer(?:in|s)?"
    r"|je|j'|moi|mon|ma|mes|nous|notre|nos|yo|mi|mis|nosotros|nuestr[oa]s?|el usuario"
    r"|io|mio|mia|miei|mie|noi|nostr[oaie]|eu|meu|meus|minha|minhas|nosso|nossa|ik|mij|mijn|wij|ons|onze"
    r"|jag|mig|min|mina|mitt|jeg|meg|mitt|mine)\b|[我私僕]|мне|мой|моя|мои|меня|\bя\b",
    re.IGNORECASE,
)
#: Questions about the words of the assistant.
_ABOUT_ASSISTANT = re.compile(
    r"(?<!tell )(?<!told )(?<!ask )(?<!asked )(?<!give )(?<!gave )(?<!show )(?<!showed )\b(?:you|your)\b"
    r"|\bassistant\b|\b(?:recommend|suggest|advi[cs]e|explain|propos)\w*"
    r"|\b(?:du|dein(?:e[mnrs]?)?)\b|\b(?:tu|toi|ton|tes|votre|tú|tus)\b",
    re.IGNORECASE,
)


def asks_about_user(question: str) -> bool:
    """Return whether a question is about the user, and not about the words of the assistant."""
    return bool(_ABOUT_USER.search(question)) and not _ABOUT_ASSISTANT.search(question)


def long_answer_handicap(pool: Pool, question: str) -> Floats:
    """Return the amount subtracted from each score: for long answers if the question is about the user, otherwise 0."""
    if not asks_about_user(question):
        return np.zeros(pool.size)
    is_answer = pool.heads(pool.passages.roles) == ROLE_ASSISTANT
    is_long = pool.passages.records.words[pool.starts] >= _LEAST_WORDS
    return np.where(is_answer & is_long, ANSWER_WEIGHT, 0.0)
