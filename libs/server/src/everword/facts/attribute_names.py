"""Names of attributes: synonyms of a known attribute mean that attribute.

A name is compared by its words, without regard to case, order, plural, accents and fillers: `Home city`, `city_of_home`
and `current home cities` are one name. Names that are no synonym stay as the caller wrote them.
"""

from __future__ import annotations

import re
import unicodedata

from everword.facts.attributes import KNOWN

#: Other names of known attributes. Narrower names, such as `mother` for `parent`, are not synonyms: their values would
#: be mixed up.
_SYNONYMS = {
    "name": "full name, real name, legal name, complete name",
    "birthday": "dob, birth date, birthdate, born on, birth day",
    "nationality": "citizenship, citizen of, native country, country of citizenship",
    "pronouns": "pronoun, preferred pronoun, gender pronoun",
    "language": "spoken language, speak, language spoken, fluent in, native language, mother tongue",
    "residence": "live in, living in, lives, home city, home town current, hometown current, city, city of residence,"
    " place of residence, location, home location, residing in, reside in, based in, where live, where they live,"
    " where he lives, where she lives, where i live, domicile, living place, place of living, home, city of living",
    "address": "home address, street address, mailing address, postal address, residential address",
    "hometown": "home town, grew up in, raised in, origin",
    "birthplace": "place of birth, birth place, born in",
    "job": "occupation, profession, work as, working as, employed as, job title, role, job role, position,"
    " job position, career, line of work, vocation, trade, work title, professional role, work role, work position",
    "employer": "company, workplace, work place, place of work, work at, work for, working at, working for,"
    " employed by, employed at, place of employment, job company, work company",
    "salary": "wage, income, annual income, yearly income, annual salary, yearly salary, pay, earnings, earn",
    "skill": "ability, skilled in, good at",
    "education": "degree, school, university, study, college, alma mater, studied at, academic background,"
    " educational background, field of study, education level",
    "partner": "spouse, husband, wife, girlfriend, boyfriend, fiance, fiancee, significant other, life partner,"
    " married to, romantic partner, dating, engaged to, other half, in relationship with",
    "marital_status": "relationship status, civil status, marriage status, family status",
    "child": "kid, offspring, child name",
    "number_of_children": "kid count, child count, number of kid, how many kid, how many child, count of child",
    "number_of_siblings": "sibling count, how many sibling",
    "pet": "pet animal, owns pet",
    "friend": "close friend, buddy",
    "flatmate": "roommate, housemate, shares flat with, room mate, flat mate",
    "diet": "dietary preference, dietary restriction, dietary requirement, eating habit, diet type, food preference",
    "allergy": "allergic to, allergen, food allergy, known allergy",
    "medication": "medicine, drug, take medication, prescription, prescribed medication, medical drug, meds",
    "condition": "medical condition, health condition, illness, diagnosis, health issue, disease, diagnosed with,"
    " chronic condition, health problem",
    "weight": "body weight",
    "email": "email address, e mail, mail, mail address, e mail address, contact email",
    "phone": "phone number, mobile, mobile number, telephone, telephone number, cell phone, cell, cell number,"
    " cell phone number, mobile phone, contact number",
    "vehicle": "car, drive, car model, automobile",
    "like": "enjoy, love, interest, interested in, fond of, fan of, thing liked",
    "dislike": "hate, doesnt like, dont like, does not like, not like, averse to, thing disliked",
    "hobby": "pastime, leisure activity, free time activity, pass time",
    "goal": "aim, objective, ambition, aspiration, life goal, personal goal",
    "mood": "current feeling, feeling, emotional state",
    "stack": "tech stack, technology, technology stack, technology used",
}
_IRREGULAR = {
    "children": "child",
    "men": "man",
    "women": "woman",
    "people": "person",
    "cities": "city",
}
#: Words that do not change the meaning of a name.
_FILLERS = frozenset(
    {
        *("a", "an", "the", "of", "my", "their", "his", "her", "our", "own", "s"),
        *("is", "are", "am", "has", "have", "being", "current", "currently", "present", "now"),
    }
)
_NOT_LETTERS = re.compile(r"[\W_]+")


def canonical_attribute(written: str) -> str:
    """Return the known attribute that a name means, such as `job` for `current_occupation`; else the name itself."""
    if written in KNOWN:
        return written
    words = _words(written)
    plain = words - _FILLERS
    # `partner_name` is the partner; `name` alone is an attribute itself.
    possible = (_BY_WORDS.get(each) for each in (words, plain, plain - {"name"}))
    return next(filter(None, possible), written)


def written_as(written: str) -> str:
    """Return a note for the audit trail if a caller's name was replaced; otherwise nothing."""
    return f"written as {written}" if canonical_attribute(written) != written else ""


def singular_words(text: str) -> list[str]:
    """Return the words of a text in lower case without accents, plurals as their singular."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    return [_singular(word) for word in _NOT_LETTERS.sub(" ", plain).split()]


def _words(name: str) -> frozenset[str]:
    return frozenset(singular_words(name))


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("oes", "shes", "ches")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and re.search(r"[^siu]s$", word) else word


def _index_names() -> dict[frozenset[str], str]:
    """Return each name by its words; phrases also without their fillers, unless that is another name."""
    exact, shortened = dict[frozenset[str], str](), dict[frozenset[str], str]()
    for name in KNOWN:
        for other in (name, *_SYNONYMS.get(name, "").split(",")):
            words = _words(other)
            exact[words] = name
            shortened[words - _FILLERS] = name
    return {words: name for words, name in (shortened | exact).items() if words}


_BY_WORDS = _index_names()
