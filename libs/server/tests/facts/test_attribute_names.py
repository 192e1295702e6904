"""Names of attributes: synonyms mean one attribute, and other names stay as they are."""

from __future__ import annotations

import pytest

from everword.facts.attribute_names import canonical_attribute, written_as

#: Written before the table of synonyms.
_PLAUSIBLE = {
    "job": (
        "occupation, profession, works_as, job_title, current_job, Current role, position, "
        "career, line_of_work, is_employed_as"
    ),
    "residence": (
        "lives_in, home_city, location, current_city, city, place_of_residence, "
        "city_of_residence, residing_in, hometown_current, current_location, where_they_live"
    ),
    "partner": (
        "spouse, husband, wife, girlfriend, boyfriend, fiancé, significant_other, "
        "partner_name, name_of_spouse, married_to"
    ),
    "birthday": "dob, date_of_birth, birth_date, birthdate, born_on",
    "employer": (
        "company, workplace, works_at, works_for, current_employer, company_name, "
        "employed_by, place_of_work"
    ),
    "name": "full_name, real_name",
    "email": "email_address, e-mail, mail_address",
    "phone": "phone_number, mobile, mobile_number, telephone, cell_phone",
    "allergy": "allergies, is_allergic_to, food_allergies",
    "medication": "medications, medicine, takes_medication, current_medications",
    "diet": "dietary_preference, dietary_restrictions, eating_habits",
    "hobby": "hobbies, pastime, leisure_activities",
    "like": "likes, enjoys, interests",
    "dislike": "dislikes, hates",
    "language": "spoken_languages, languages_spoken, speaks",
    "nationality": "native_country, citizenship",
    "marital_status": "relationship_status, civil_status",
    "child": "kids, children, has_children",
    "pet": "pets, has_pet, pet_name",
    "sibling": "siblings",
    "friend": "friends",
    "vehicle": "car, drives",
    "address": "home_address, street_address, mailing_address",
    "hometown": "home_town, grew_up_in",
    "birthplace": "place_of_birth, born_in",
    "stack": "tech_stack, technologies",
    "skill": "skills",
    "goal": "goals, has_goal",
    "salary": "wage, annual_income",
    "pronouns": "preferred_pronouns",
    "weight": "body_weight",
    "condition": "medical_conditions, diagnosis, health_issues",
    "number_of_children": "kid_count",
}
#: Narrower names, names of things, and former or future values are attributes of their own.
_OWN = """
coffee_order favourite_colour dog_name ana_employer report_deadline username mother
sister dog laptop home_phone ex_wife previous_employer former_job dream_job next_job
billing_service_owner role_model work_hours company_car employer_address preferred_language
car_insurance deploy_target pet_peeve
"""


@pytest.mark.parametrize(("name", "others"), _PLAUSIBLE.items())
def test_canonical_attribute_maps_plausible_synonyms(name: str, others: str) -> None:
    missed = [each for each in others.split(", ") if canonical_attribute(each) != name]
    assert missed == []


def test_canonical_attribute_keeps_own_names() -> None:
    own = _OWN.split()
    assert [canonical_attribute(each) for each in own] == own
    assert written_as("dog_name") == written_as("job") == ""
    assert written_as("works_as") == "written as works_as"
