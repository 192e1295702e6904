"""Questions and answers in several languages."""

from __future__ import annotations

#: Questions whose answers have the same place, and share no word with them.
QUESTIONS = [
    "Where does Anna live?",
    "Wo arbeitet mein Bruder?",
    "¿Qué mascota tenemos?",
    "私の誕生日はいつですか。",
]
PASSAGES = [
    "Sie ist letzten Herbst nach Lissabon gezogen, die Anna.",
    "He has a job at the harbour, my brother does.",
    "We adopted a grey cat from the shelter.",
    "I was born on the third of May.",
]
