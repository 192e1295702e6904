"""Raise what users say themselves when a question is about the user.

An assistant's paragraph about coffee shares more words with "How do I take my coffee?" than the user's "Black, please",
but does not answer it.
"""

from __future__ import annotations

import re

import numpy as np

from everword.text.ranking_record import ASKS
from everword.v1.memory_pb2 import ROLE_USER
from everword_search.kernels.arrays import Floats
from everword_search.ranking.features.pool import Pool

#: Added to the score of a user's statement, in the models' unit.
OWN_WEIGHT = 4.0
#: Maximum words of a statement: longer messages are mostly texts to work on.
_MOST_WORDS = 60
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
    r"|\b(?:the )?assistant\b|\b(?:du|dein(?:e[mnrs]?)?)\b|\b(?:tu|toi|ton|tes|votre|tú|tus)\b",
    re.IGNORECASE,
)


def asks_about_user(question: str) -> bool:
    """Return whether a question is about the user, and not about the words of the assistant."""
    return bool(_ABOUT_USER.search(question)) and not _ABOUT_ASSISTANT.search(question)


def own_statement_bonus(pool: Pool, question: str) -> Floats:
    """Return the amount added to each memory's score: 0 unless a user states it and the question is about the user."""
    if not asks_about_user(question):
        return np.zeros(pool.size)
    records = pool.passages.records
    words, flags = records.words[pool.starts], records.flags[pool.starts]
    is_statement = (pool.heads(pool.passages.roles) == ROLE_USER) & (flags & ASKS == 0)
    return np.where(is_statement & (words <= _MOST_WORDS), OWN_WEIGHT, 0.0)
