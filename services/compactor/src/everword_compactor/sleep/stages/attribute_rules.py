"""Rules about the attribute and the value of a fact that a model has read in a sentence.

`is_lasting` rejects facts that are not useful for long, and `is_supported` facts whose attribute or value the sentence
does not support. Small models often give a passing detail the name of a lasting attribute: `residence: ward`, `pet:
breakfast time`.
"""

from __future__ import annotations

import re

from everword.facts.attributes import KNOWN
from everword_compactor.sleep.stages.sentence_rules import is_english, is_relative

#: Attributes that are still useful a month later, by their last word: `food_allergy`, `migraine_trigger`.
_LASTING_WORDS = """
name nickname surname age birthday anniversary nationality pronouns language religion gender zodiac height weight size
residence address neighbourhood hometown birthplace home flat apartment house housing accommodation situation
job employer workplace department role team client salary income budget debt loan rent savings mortgage expense payday
schedule shift hours contract experience skill education studies school university course major degree subject class
exam thesis internship training certificate licence license kindergarten
partner status child children sibling parent parents relative friend flatmate roommate neighbour colleague manager
mentor teacher student acquaintance pet breed species animal vet owner
diet allergy medication medicine dose condition trigger symptom injury surgery operation restriction disability
intolerance treatment therapy doctor dentist therapist specialist hospital insurance vaccine blood glasses
email phone website username account handle
vehicle car bicycle device tool editor stack equipment instrument software app system framework database port version
computer camera owns owned possession collection garden
drink instruction preference like dislike favourite favorite hobby sport activity habit routine fear phobia interest
membership club choir band gym genre
goal plan project event appointment deadline trip journey holiday wedding move visit race concert gig task
requirement limit repository domain company business note unit currency timezone zone tradition belief value
"""
_LASTING = frozenset(_LASTING_WORDS.split()) | frozenset(KNOWN) - {"mood", "status"}
#: First words of lasting attributes such as `favourite_food`.
_TASTES = frozenset({"favourite", "favorite", "preferred", "liked", "disliked"})
#: The only attributes that are kept for people other than the user.
_OF_OTHERS_WORDS = """
name age birthday nationality language residence hometown job employer workplace education studies school university
partner child sibling parent friend flatmate colleague manager teacher student relative pet breed species
diet allergy medication condition injury intolerance disability like dislike hobby sport instrument event appointment
wedding
"""
_OF_OTHERS = frozenset(_OF_OTHERS_WORDS.split())
#: Patterns of which one must match for an attribute, because models guess: any place becomes a residence, any food a
#: diet.
_CUE_WORDS = {
    "residence": r"\b(?:liv(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|based|stay\w*|stuck|rent\w*|settled|resid\w*)\b",
    "hometown": r"\b(?:from|born|grew|grow\w*|raised|origin\w*|native)\b",
    "job": (
        r"\b(?:work\w*|jobs?|as an?|career|profession|liv(?:e|ing) as|for a living|teach\w*|taught|runs?|ran|owns?"
        r"|start\w*|hired|shifts?|office|company|firm|boss|colleagues?|clients?|doing|train\w*|retire\w*|freelanc\w*"
        r"|sells?|business|employ\w*|promot\w*|quit|fired|laid off|used to be|lead|manag\w*|stud\w*"
        r"|(?:am|is|was|be|been|being|became|['’]m|['’]s|are|were)(?: \w+){0,2} (?:an?|the|in))\b"
        r"|(?:['’]m|\bam|['’]s|\bis) \w+$"
    ),
    "allergy": r"allerg|intoleran|anaphyla|epi-?pen|react|rash|hives|coeliac|celiac",
    "birthday": r"birth|born|\bturn",
    "condition": (
        r"\b(?:ha(?:ve|s|d|ving)|['’](?:ve|m)|am|is|got|gets?|diagnos\w*|suffer\w*|my|his|her|their|our|chronic|with)\b"
    ),
    "like": (
        r"\b(?:lov\w+|lik(?:e|es|ed|ing)|enjoy\w*|favou?rites?|fans?|prefer\w*|into|ador\w+|obsess\w*|addict\w*|keen"
        r"|crazy about|can['’]t get enough|passion\w*|fond|swears? by|live on|always)\b"
    ),
    "dislike": (
        r"\b(?:hat(?:e|es|ed|ing)|dislik\w+|stand|not a (?:\w+ )?fan|avoid\w*|tastes?|loath\w+|awful|terrible"
        r"|disgust\w*|annoy\w*|no|never|sick of|detest\w*|put off)\b|n['’]t (?:\w+ )?(?:like|eat|enjoy|drink)\b"
    ),
    "diet": (
        r"\b(?:eat\w*|ate|diet\w*|vegetarian|vegan|pescatarian|gluten|dairy|lactose|meat|fish|pork|drink\w*|alcohol"
        r"|sugar|halal|kosher|keto|carbs?|no|without|free|plant-based|sober|intoleran\w*)\b"
    ),
    "instruction": (
        r"\b(?:please|from now on|never|always|call me|prefer\w*|(?:want|like|need) you|(?:can|could|would|will) you"
        r"|make sure|remember to|don['’]t|do not|no more|stop|instead of)\b"
        r"|(?:^|[,;:.!]\W*|\b(?:and|so|but) )(?:just |only |also |for now )?(?:use|keep|give|send|write|answer|reply"
        r"|explain|ask|tell|show|stick|skip|avoid|remind|add|put|speak|talk|round|quote|remember|let['’]s)\b"
    ),
    "goal": (
        r"\b(?:want\w*|wanna|plan\w*|goal\w*|aim\w*|hop(?:e|es|ing)|dream\w*|try\w*|train\w*|going to|gonna|like to"
        r"|love to|sav\w+|learn\w*|will|by|['’]ll|['’]d|looking|working|target\w*|prepar\w*|need\w*|start\w*"
        r"|until|before|apply\w*)\b"
    ),
    "fear": r"\b(?:fear\w*|afraid|scar\w+|terrif\w*|phobi\w*|panic\w*|nervous|freak\w*)\b",
}
_CUES = {name: re.compile(words, re.IGNORECASE) for name, words in _CUE_WORDS.items()}
_CUES["standing_instruction"] = _CUES["instruction"]
_TRADE = re.compile(r"(?:er|or|ist|ian|eer|man|woman)$", re.IGNORECASE)
_PLACES = frozenset({"residence", "hometown"})
_HOMES = re.compile(
    r"\b(?:flat|apartment|house|cottage|farm|boat|van|village|town|city|suburbs?|country\w*|coast|studio|dorm\w*|abroad"
    r"|alone|parents?)\b",
    re.IGNORECASE,
)
_ANIMALS = re.compile(
    r"\b(?:cats?|kittens?|dogs?|pupp(?:y|ies)|horses?|pon(?:y|ies)|rabbits?|hamsters?|guinea pigs?|fish|parrots?|birds?"
    r"|budgies?|tortoises?|turtles?|snakes?|hens?|chickens?|goats?|sheep|gerbils?|rats?|ferrets?|geckos?|lizards?|bees"
    r"|\w+hounds?|terrier|retriever|poodle|collie|labrador|spaniel|dachshund|beagle)\b",
    re.IGNORECASE,
)
_EVENTS = """
event appointment deadline trip journey holiday wedding move visit race concert gig plan exam
"""
#: Attributes of events, which need a time in the sentence: without a time, a plan is a wish.
_DATED = frozenset(_EVENTS.split())
_TIME = re.compile(
    r"\d|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|tomorrow|tonight|next|weekend|week|month|spring|summer|autumn|winter|christmas|easter)\b",
    re.IGNORECASE,
)
#: A value with one of these words at its end is only a part of a phrase: `start with`.
_CUT = re.compile(
    r"\b(?:with|about|to|for|of|on|in|at|and|or|but|the|an?|from|by|than|as|somewhere|something)$",
    re.IGNORECASE,
)
#: A quantity alone: `25 mg`, `two cups a day`.
_QUANTITY = re.compile(
    r"^(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|half)\W*(?:mg|g|kg|ml|l|cups?|times?|pills?|tablets?"
    r"|glasses|hours?|days?|weeks?|months?|years?)\b(?: (?:a|per|every|each) \w+)?$",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|are|was|were)\b", re.IGNORECASE)
#: A date alone is no value of a surgery, a pet or a job.
_DATE = re.compile(
    r"^(?:(?:early|late|mid|since|in|on) )?(?:(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december) )?(?:19|20)\d\d$",
    re.IGNORECASE,
)
_STATES = frozenset(
    {"surgery", "operation", "injury", "symptom", "residence", "hometown", "education"}
)
_NOUNS = frozenset(
    {
        "diet",
        "medication",
        "condition",
        "allergy",
        "pet",
        "like",
        "dislike",
        "hobby",
        "job",
        "employer",
    }
)
#: Values that describe a passing state; rejected for every attribute.
_MOMENTS = re.compile(
    r"^(?:(?:totally|very|really|so|quite|pretty|a bit|all|feeling|is|not|too|just|completely)\W+)*"
    r"(?:fine|ok(?:ay)?|good|great|well|better|worse|tired|exhausted|happy|sad|hungry|thirsty|busy|stressed|bored|late|early"
    r"|ready|sorry|lucky|excited|nervous|annoyed|cold|hot|warm|nice|lovely|perfect|terrible|awful|bad|funny|cute"
    r"|allergic)$",
    re.IGNORECASE,
)
#: Maximum words of a note that needs a form of "be" in its sentence.
_FEW = 2
#: The simple present states a habit: "I take my tea with oat milk".
_USUAL = re.compile(
    r"^\W*(?:I|[Ww]e)(?: (?:always|usually|often|mostly|also))? (?!am|was|were|had|have|has|will|would|did|do|just|went"
    r"|got|need|want|think|know|hope|guess|can|could|should|might|may|must|don|didn|never|\w+ed\b)[a-z]+\b(?!['’])",
)
_MEASURES = frozenset({"date", "dates", "time", "day", "duration", "frequency", "year"})
_BEING = r"(?:\b(?:am|are|is|not)|['’](?:m|re|s))\W+(?:\w+\W+){0,3}"
_TASTE = r"\b(?:hate|love|like|miss|about|with|of)"
#: "can't practise after eight" is no condition.
_ACTION = re.compile(r"(?:can|cannot|will|wants?|has to|have to|not|no)\b", re.IGNORECASE)
#: "my brother's dog"
_OF_SOMEONE = re.compile(rf"\w['’]s (?:{_ANIMALS.pattern})", re.IGNORECASE)
#: A sentence about the acts of the author or of others is no instruction: "I always drink tea".
_AUTHOR_ACTS = re.compile(
    r"\b(?:I|we|he|she|they)\b"
    r"(?!['’]d| (?:prefer|want|need|hate|like|would|can['’]?t stand|don['’]t (?:want|need|like)))"
)
_ADDRESSED = re.compile(r"\b(?:please|pls|plz|agent|you|from now on)\b", re.IGNORECASE)
#: Each word begins with a capital letter: the name of a person or company, not a job.
_NAME = re.compile(r"^(?:[A-Z][a-zà-ÿ]+ ?)+$")
_ORDERS = frozenset({"instruction", "standing_instruction"})
_UPPER = re.compile(r"[^\W\d_a-zß-ÿ]")


def is_lasting(attribute: str, value: str, about: str, sentence: str) -> bool:
    """Return whether a fact is still useful a month later. `about` is the fact's person; empty for the user."""
    plain = attribute.removeprefix("former_")
    words = plain.split("_")
    if words[-1] in _DATED and is_english(sentence) and not _TIME.search(sentence):
        return False
    if plain == "note" and is_english(sentence) and len(value.split()) <= _FEW:
        # "I am vegetarian" is worth a note; without a form of "be", a short note is a detail such as `train`.
        return bool(re.search(rf"{_BEING}{re.escape(value.split()[0])}", sentence, re.IGNORECASE))
    if about:
        return (
            plain == "note" or plain in _OF_OTHERS or words[-1] in _OF_OTHERS or is_relative(plain)
        )
    if words[-1] in _MEASURES:
        return False
    is_known = plain in _LASTING or words[-1] in _LASTING or words[0] in _TASTES
    return is_known or is_relative(plain) or _is_usual(value, sentence)


def _is_usual(value: str, sentence: str) -> bool:
    """Return whether a sentence is in the simple present, and its first clause has the value."""
    clause = re.split(r"[,;:]", sentence)[0].casefold()
    return bool(_USUAL.match(sentence)) and value.split()[-1].casefold() in clause


def is_supported(attribute: str, value: str, sentence: str, before: str = "") -> bool:
    """Return whether a sentence has a word that shows the attribute, such as `live` for `residence`.

    True for sentences that are not in English. `before` is the agent's previous text, which may have the word instead,
    except for instructions. A place with a capital letter, and a trade such as `organ builder`, need no such word.
    """
    attribute = attribute.removeprefix("former_")
    text = f"{before}\n{sentence}"
    if not is_english(text):
        return True
    if not _is_kind(attribute, value, sentence):
        return False
    if attribute in _ORDERS and _AUTHOR_ACTS.match(sentence) and not _ADDRESSED.search(sentence):
        return False
    cue = _CUES.get(attribute)
    if cue is None or cue.search(sentence if attribute in _ORDERS else text):
        return True
    if attribute == "job":
        return bool(_TRADE.search(value))
    return attribute in _PLACES and value != value.casefold()


def _is_kind(attribute: str, value: str, text: str) -> bool:
    """Return whether an attribute can have a value: a residence must be a place, a pet an animal or a name."""
    if _MOMENTS.match(value) or _CUT.search(value):
        return False
    if attribute == "job" and (is_relative(value) or _NAME.match(value)):
        return False
    if attribute in _NOUNS and (_QUANTITY.match(value) or _VERB.search(value)):
        return False
    if attribute in _NOUNS | _STATES and _DATE.match(value):
        return False
    if attribute == "job" and re.search(rf"{_TASTE} the {re.escape(value)}\b", text, re.IGNORECASE):
        return False  # "I like my job, I hate the rota"
    if attribute == "condition" and _ACTION.match(value):
        return False
    if attribute in _PLACES and re.search(rf"\bthe {re.escape(value)} [a-z]", text):
        return False  # "the Boulder half marathon"
    if attribute in _PLACES:
        return bool(_HOMES.search(value) or _is_name(value, text))
    if attribute == "pet":
        return not _OF_SOMEONE.search(text) and bool(
            _ANIMALS.search(value) or _is_name(value, text)
        )
    if attribute == "age":
        return bool(re.search(r"\d", value)) or value.isalpha()
    return True


def _is_name(value: str, text: str) -> bool:
    """Return whether a word of a value is written with a capital letter in the value or in the text."""
    if _UPPER.search(value):
        return True
    return any(
        re.search(rf"\b{re.escape(word[0].upper() + word[1:])}\b", text)
        for word in value.split()
        if word[0].isalpha()
    )
