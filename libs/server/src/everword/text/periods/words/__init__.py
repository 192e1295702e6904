"""Words for times, by language."""

from collections.abc import Mapping
from typing import Any

from everword.text.periods.words.asian import ARABIC, CHINESE, JAPANESE
from everword.text.periods.words.english import ENGLISH
from everword.text.periods.words.germanic import DUTCH, GERMAN, NORDIC
from everword.text.periods.words.indic import HINDI, THAI
from everword.text.periods.words.korean import KOREAN
from everword.text.periods.words.romance import FRENCH, ITALIAN, PORTUGUESE, SPANISH
from everword.text.periods.words.slavic import RUSSIAN

#: By language: the kind of words, or a tag of `lexicon`, and the phrases, separated by commas. The values of kinds such
#: as `units` are mappings from a name to its phrases.
LANGUAGES: Mapping[str, Mapping[str, Any]] = {
    "en": ENGLISH,
    "de": GERMAN,
    "nl": DUTCH,
    "no": NORDIC,
    "es": SPANISH,
    "fr": FRENCH,
    "it": ITALIAN,
    "pt": PORTUGUESE,
    "ru": RUSSIAN,
    "ja": JAPANESE,
    "zh": CHINESE,
    "ar": ARABIC,
    "ko": KOREAN,
    "th": THAI,
    "hi": HINDI,
}
