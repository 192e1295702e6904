"""Kinds of values by their names: each reads one from a place in a sentence, or finds that there is none."""

from __future__ import annotations

from everword_compactor.learning.extract.lexicon import COUNTS, ORDINALS, STOPS, WORDS
from everword_compactor.learning.extract.model import TokenizedSentence
from everword_compactor.learning.extract.values.clauses import (
    ailment,
    aim,
    condition,
    habit,
    hobby_since,
    marital,
    open_hobby,
    organ_trouble,
    trip,
)
from everword_compactor.learning.extract.values.measures import (
    address,
    age,
    amount,
    any_age,
    calendar_day,
    child_age,
    dotted,
    email,
    height,
    money,
    number,
    phone,
    port,
    pronouns,
    street,
    version,
    weight,
    when,
    year,
    years,
    years_of_age,
)
from everword_compactor.learning.extract.values.names import (
    called,
    campus,
    car,
    company,
    contact,
    device,
    drug,
    firm,
    job,
    known_place_name,
    model,
    name,
    near_place,
    new_home,
    organisation,
    origin,
    other_person,
    paid_job,
    person,
    place,
    product,
    project,
    role,
    small_name,
    software,
    student,
    title,
    workplace,
)
from everword_compactor.learning.extract.values.read_value import (
    ARTICLES,
    MARKS,
    Read,
    Slot,
    ends,
    low,
)
from everword_compactor.learning.extract.values.tastes import (
    allergen,
    doing,
    favourite,
    hobby,
    list_of,
    mood,
    of_kind,
    open_list,
    plain_tastes,
    several,
    tastes,
    thing,
    things,
    word,
)
from everword_compactor.learning.extract.values.work import (
    business,
    school_name,
    teaching,
    workplace_kind,
)


def _name_with_age(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a name, and pass over an age: `Tane (12)`, `Tane, 12`."""
    found = name(sentence, at)
    if found and low(sentence, found[1]) == "," and low(sentence, found[1] + 1).isdigit():
        return found[0], found[1] + 2
    is_aged = found and low(sentence, found[1]) == "(" and low(sentence, found[1] + 2) == ")"
    return (found[0], found[1] + 3) if found and is_aged else found


def names(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read several names; None if a person is addressed: "the kids, Tom and I"."""
    found = list_of(sentence, at, _name_with_age)
    with_author = found and low(sentence, found[1]) == "and" and low(sentence, found[1] + 1) == "i"
    return None if with_author else found


def rest(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read up to twelve words, to the next mark."""
    end = at
    while end < len(sentence.tokens) and sentence.tokens[end].low not in MARKS:
        end += 1
    return ([sentence.slice(at, end)], end) if 1 < end - at <= 12 else None


def drugs(sentence: TokenizedSentence, at: int) -> Read | None:
    return list_of(sentence, at, drug)


def count(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read how many, in digits."""
    term = low(sentence, at)
    if term.isdigit() and int(term) < 20:
        return [term], at + 1
    return ([str(COUNTS[term])], at + 1) if term in COUNTS else None


def nth(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read which one, in digits: `third` is 3."""
    term = low(sentence, at)
    return ([str(ORDINALS[term])], at + 1) if term in ORDINALS else None


def subject(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a field of study: up to three words and then one that names a field."""
    for end in range(at + 1, min(at + 5, len(sentence.tokens) + 1)):
        term = sentence.tokens[end - 1].low
        if term in STOPS | MARKS | ARTICLES:
            return None
        if term in WORDS["fields"] and (ends(sentence, end) or low(sentence, end) in {"at", "in"}):
            return [sentence.slice(at, end)], end
    return None


SLOTS: dict[str, Slot] = {
    "name": name,
    "names": names,
    "place": place,
    "new_home": new_home,
    "organisation": organisation,
    "company": company,
    "campus": campus,
    "job": job,
    "role": role,
    "thing": thing,
    "things": things,
    "word": word,
    "favourite": favourite,
    "when": when,
    "any_age": any_age,
    "height": height,
    "calendar_day": calendar_day,
    "money": money,
    "amount": amount,
    "age": age,
    "number": number,
    "version": version,
    "email": email,
    "phone": phone,
    "address": address,
    "rest": rest,
    "car": car,
    "drug": drug,
    "drugs": drugs,
    "pronouns": pronouns,
    "diet": of_kind("diets"),
    "marital": marital,
    "nationality": of_kind("nationalities"),
    "language": several(of_kind("languages")),
    "trait": of_kind("traits"),
    "condition": several(condition),
    "database": of_kind("databases"),
    "editor": of_kind("editors"),
    "tool": several(of_kind("tools")),
    "software": software,
    "game": several(of_kind("games")),
    "instrument": several(of_kind("instruments")),
    "count": count,
    "nth": nth,
    "subject": subject,
    "mood": mood,
    "tastes": tastes,
    "plain_tastes": plain_tastes,
    "doing": doing,
    "pastime": of_kind("hobbies"),
    "allergens": lambda sentence, at: open_list(sentence, at, allergen),
    "child_age": child_age,
    "person": person,
    "paid_job": paid_job,
    "student": student,
    "contact": contact,
    "port": port,
    "dotted": dotted,
    "craft": of_kind("crafts"),
    "state": of_kind("states"),
    "called": called,
    "known_place_name": known_place_name,
    "firm": firm,
    "workplace": workplace,
    "model": model,
    "device": device,
    "product": product,
    "street": street,
    "weight": weight,
    "years": years,
    "year": year,
    "school": of_kind("schools"),
    "title": title,
    "other_person": other_person,
    "project": project,
    "hobby": several(hobby),
    "habit": habit,
    "trip": trip,
    "aim": aim,
    "ailment": ailment,
    "teaching": teaching,
    "business": business,
    "workplace_kind": workplace_kind,
    "school_name": school_name,
    "led": of_kind("led"),
    "small_name": small_name,
    "years_of_age": years_of_age,
    "open_hobby": open_hobby,
    "hobby_since": hobby_since,
    "organ_trouble": organ_trouble,
    "industry": of_kind("industries"),
    "origin": origin,
    "near_place": near_place,
    "somewhere": lambda sentence, at: (
        place(sentence, at) or organisation(sentence, at) or contact(sentence, at)
    ),
}
