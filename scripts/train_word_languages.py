"""Fit the model that guesses the language of words, and list the parts of compounds, from the word lists of wordfreq.

Run it with scikit-learn installed, which nothing else needs (four minutes on one thread):

    .venv/bin/uv pip install scikit-learn
    .venv/bin/python -m scripts.train_word_languages
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import numpy as np
import wordfreq
from scipy.sparse import csr_matrix
from sklearn.linear_model import SGDClassifier

from everword.text.stemming import script_of
from everword.text.word_languages import letter_groups

FOLDER = Path("libs/server/src/everword/text")
#: Codes of wordfreq with languages of Snowball; words of the last three, which have none, are left as they are.
_NAMES = """
en english, de german, fr french, es spanish, it italian, pt portuguese, nl dutch, sv swedish, nb norwegian, da danish,
fi finnish, hu hungarian, ro romanian, tr turkish, ca catalan, id indonesian, lt lithuanian, pl polish, cs czech, vi,
sh, lv
"""
LANGUAGES = {
    code: name for code, _, name in (each.strip().partition(" ") for each in _NAMES.split(","))
}
COMPOUNDING = ("de", "nl", "sv", "nb", "da")
#: Zipf frequency of the parts of compounds, at least.
PART = 3.6
GROUPS = 1 << 15
#: English has these advantages on the Zipf scale in the labels, and in the scores of the model.
LABEL_MARGIN, SCORE_MARGIN = 0.7, 100
Frequencies = dict[str, dict[int, float]]


def read_lists() -> Frequencies:
    """Return the Zipf frequency of each word in each language, by the number of the language."""
    found: Frequencies = {}
    for number, code in enumerate(LANGUAGES):
        for word, zipf in word_list(code):
            if 2 <= len(word) <= 24 and word.isalpha() and script_of(word) == "LATIN":
                found.setdefault(word, {})[number] = zipf
    return found


def word_list(code: str) -> list[tuple[str, float]]:
    lists = wordfreq.read_cBpack(str(wordfreq.available_languages("small")[code]))
    return [(word, 9 - place / 100) for place, words in enumerate(lists) for word in words]


def label(zipfs: dict[int, float]) -> int:
    """Return the language in which a word is most frequent, preferably English."""
    best = max(zipfs, key=lambda number: zipfs[number])
    return 0 if zipfs.get(0, 0.0) >= zipfs[best] - LABEL_MARGIN else best


def is_english(word: str, zipfs: dict[int, float]) -> bool:
    """Return whether a word must be English: because it is common there, or because it is a name in many languages."""
    here, most = zipfs.get(0, 0.0), sorted(zipfs.values(), reverse=True)
    if not word.isascii() or not here:
        return False
    is_common = (here >= 4.2 and here >= most[0] - 2.2) or (here >= 3.3 and here >= most[0] - 1.5)
    is_name = here >= 2.0 and here >= most[0] - 2.2 and len(most) >= 8 and most[0] - most[7] <= 2.0
    return is_common or is_name


def main() -> None:
    lists = read_lists()
    words, labels = list(lists), np.array([label(each) for each in lists.values()])
    groups = [letter_groups(word, GROUPS - 1) for word in words]
    rows = np.repeat(np.arange(len(words)), [len(each) for each in groups])
    columns = np.concatenate([np.array(each) for each in groups])
    ones = np.ones(len(rows), np.float32)
    matrix = csr_matrix((ones, (rows, columns)), shape=(len(words), GROUPS))
    zipfs = np.array([max(each.values()) for each in lists.values()])
    sample_weight = np.clip(10 ** (0.35 * (zipfs - 3)), 0.4, 20) * np.where(labels == 0, 1.3, 1)
    model = SGDClassifier(
        loss="log_loss", alpha=2e-6, max_iter=8, tol=None, random_state=0, average=True
    )
    model.fit(matrix, labels, sample_weight=sample_weight)
    scale = 127 / np.percentile(np.abs(model.coef_), 99.9)
    weights = np.clip(np.round(model.coef_ * scale), -127, 127).astype(np.int8)
    bias = np.round(model.intercept_ * scale).astype(np.int32)
    bias[0] += SCORE_MARGIN
    guesses = (matrix @ weights.T.astype(np.float32) + bias).argmax(axis=1)
    missed = [
        word
        for word, guess in zip(words, guesses, strict=True)
        if guess and is_english(word, lists[word])
    ]
    np.savez_compressed(
        FOLDER / "word_languages.npz",
        weights=np.ascontiguousarray(weights.T),
        bias=bias,
        languages=np.array(list(LANGUAGES.values())),
        english=np.array(" ".join(sorted(missed))),
    )
    parts = {
        LANGUAGES[code]: [
            crc32(word.encode())
            for word, zipf in word_list(code)
            if zipf >= PART and word.isalpha() and 4 <= len(word) <= 16
        ]
        for code in COMPOUNDING
    }
    arrays = {each: np.sort(np.array(hashes, np.uint32)) for each, hashes in parts.items()}
    np.savez_compressed(FOLDER / "compound_parts.npz", allow_pickle=False, **arrays)


if __name__ == "__main__":
    main()
