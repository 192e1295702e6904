"""Claims of a message about its author, and sentences that only look like claims."""

from __future__ import annotations

import time

import pytest

from everword.facts.attributes import KNOWN
from everword_compactor.learning.extract.claims import extract
from everword_compactor.learning.extract.matcher import PATTERNS
from everword_compactor.learning.extract.model import Modality

NOTHING = """
My brother lives in Milan.
Do I live in Berlin?
If I lived in Rome I'd be happy.
I used to live in Paris. I lived in Madrid for years. I never lived in Berlin.
She told me "I live in Tokyo". He said I live in a bubble.
I have never lived in Berlin since 2010. I haven't lived in Berlin since May. I'd lived in Rome since 2010.
I've lived in Berlin before. I've lived in Oslo and in Rome. She has lived in Rome since 2020.
I have lived in a flat since May.
I've lived in Paris for two years and in Rome for three. If I had lived in Bonn since 2010, I'd know.
I might move to Lisbon next year. I'm moving to Oslo in May, maybe.
I'd love to work at Google. I almost joined Google. I applied to work at Google.
I work at night. I work for a living. I'm a morning person. I'm on my way.
I'm not a vegetarian. I'm not allergic to anything. I took an allergy test.
Write a story in which I say: I live in Atlantis.
Translate to French: I live in London.
Pretend you are my boss. My name is Bob.
What if the deadline is Friday? The deadline is important. My boss said the budget is 50k.
When I was a student I lived in Bonn. My ex-wife is called Jane.
We moved to the next topic. We moved to Plan B. I moved to the kitchen.
My wife's brother is called Tom. Someone at work thinks I'm single. I'm married to my job.
I take the bus to work. I drive to work. My car is in the garage.
> I live in Berlin, somebody wrote.
My phone number is not public. I'm 5 minutes late, 30 minutes away.
Everyone works at Google. Management works for Acme. Python works for Windows. Mum lives in Leeds. Ana worked at Fiat.
My dad switched jobs. I'm at Tesco now. I'm back in Vienna for a week. He changed jobs, he's at Fiat now.
I'm a good swimmer. I'm a decent cook. I'm the captain of my team. I'm an editor at heart.
I moved to Teams. We moved to Obsidian last month. I live in Excel. I joined Slack.
She's my oldest friend. He's my brother.
Yeah right, I'm a doctor.
In Skyrim I live in Whiterun.
My wife and I split the bill.
My sister reckons I've got insomnia. I'm allergic to the idea of mornings. I'm allergic to Mondays lol
I went camping two weekends ago. I want to plan a week in Lisbon in September.
My sister met Julia. She's a vet. Ross loves Emily. Rowling is such an inspiring writer.
Checkout is 11. I have 23 years of experience.
"""

ALLERGIES = [
    ("First: I'm allergic to hazelnuts, seriously, emergency pen in the blue bag.", {"hazelnuts"}),
    ("I am allergic to cats, unfortunately.", {"cats"}),
    ("I'm allergic to hazelnuts, very badly, carry an EpiPen", {"hazelnuts"}),
    ("I'm allergic to strawberries, long story.", {"strawberries"}),
    ("I'm allergic to cats and love dogs.", {"cats"}),
    ("I'm allergic to peanuts, shellfish.", {"peanuts", "shellfish"}),
    ("I'm allergic to latex, bee stings, and pollen.", {"latex", "bee stings", "pollen"}),
]

SAID = [
    ("i live in berlin", "residence", "berlin"),
    ("I relocated from Paris to Dublin.", "residence", "Dublin"),
    ("Moved to Lisbon last month!", "residence", "Lisbon"),
    ("I have lived in Berlin since March 2021.", "residence", "Berlin"),
    ("We’ve lived in Porto since 2019 and love it.", "residence", "Porto"),
    ("I've now lived in Berlin for six years.", "residence", "Berlin"),
    ("I have lived in Oslo all my life.", "residence", "Oslo"),
    ("I've been living in Berlin since March 2021.", "residence", "Berlin"),
    ("I'm the CTO of Foo Inc.", "employer", "Foo Inc"),
    ("I left Google for Meta.", "employer", "Meta"),
    ("My doctor put me on lisinopril.", "medication", "lisinopril"),
    ("I take 20mg of citalopram daily.", "citalopram_dose", "20mg"),
    ("We got a dog, his name is Bruno.", "pet", "Bruno"),
    ("I was born on 12 May 1988.", "birthday", "12 May 1988"),
    ("The deadline for the thesis has been extended to July 1.", "thesis_deadline", "July 1"),
    ("We switched from MySQL to Postgres.", "database", "Postgres"),
    ("Tom owns the search service.", "search_service_owner", "Tom"),
    ("My favourite band is Radiohead.", "favourite_band", "Radiohead"),
    ("The budget went up to $70k.", "budget", "$70k"),
    ("Ana works at Initech.", "ana_employer", "Initech"),
    ("Ben's wife is called Ana.", "ben_partner", "Ana"),
    ("Falcon uses Postgres.", "falcon_database", "Postgres"),
    ("I switched jobs, I'm at Initech now.", "employer", "Initech"),
    ("I'm back in Vienna.", "residence", "Vienna"),
    # Missing subjects, and words around the claim.
    ("so, quick update: been living in Bremen since May", "residence", "Bremen"),
    ("honestly i work at lidl atm and its fine", "employer", "lidl"),
    ("We packed up, moved to Porto and never looked back.", "residence", "Porto"),
    ("I work in marketing at Unilever.", "employer", "Unilever"),
    ("I'm a 34 year old nurse from Leeds.", "age", "34"),
    # Said within a question, or before one.
    ("I weigh 92 kg, what is a sensible goal?", "weight", "92 kg"),
    ("Can you note that my name is Bo?", "name", "Bo"),
    ("As a Canadian citizen, do I need a visa?", "nationality", "Canadian"),
    # Told by who knows.
    ("My doctor says I'm allergic to latex.", "allergy", "latex"),
    # A relative's name, by the words around it.
    ("My sister Ana, who is a vet, says hi.", "sibling", "Ana"),
    ("I talked to my dad. His name is Anton.", "parent", "Anton"),
    ("I have a son named Leo and a daughter named Mia.", "child", "Mia"),
    ("my 7-year-old daughter Ines won't eat", "child", "Ines"),
    ("We got a puppy, we named him Otis!", "pet", "Otis"),
    ("I'm passionate about making short films.", "like", "making short films"),
    ("I've got a job interview on Friday at 4pm", "job_interview_appointment", "Friday at 4pm"),
    ("I dont eat gluten", "diet", "gluten-free"),
    # Said in passing, or of a person named just before.
    ("A tile workshop would be nicer, I do pottery on Saturdays.", "hobby", "pottery"),
    ("i'm 26 btw if that matters", "age", "26"),
    ("My native place is Nashik.", "hometown", "Nashik"),
    ("I teach piano on Saturdays, all day.", "job", "piano teacher"),
    ("I run a small landscaping firm in Bristol.", "job", "runs a small landscaping firm"),
    ("I work in a bakery in the morning.", "employer", "bakery"),
    ("Dan's my flatmate, he'd put chillies on cereal.", "flatmate", "Dan"),
    ("I share the flat with my cousin Teo.", "flatmate", "Teo"),
    ("I have a thyroid problem since 2019.", "condition", "thyroid problem"),
    ("I'm training for the Great North Run.", "goal", "Great North Run"),
    ("I took up open water swimming instead.", "hobby", "open water swimming"),
    ("My partner's name is Grace, she's a chef.", "grace_job", "chef"),
    ("My sister Amira is coming. She adores dogs.", "amira_like", "dogs"),
    (
        "Can you help with my mum's 70th? Her birthday is the 6th of June.",
        "mum_birthday",
        "6th of June",
    ),
    ("Kids are Tyler, 14, Brianna, 11, and Cody who's 6.", "cody_age", "6"),
    (
        "We both live in Rome; my husband Ian and I run a lot. He's Dutch.",
        "ian_nationality",
        "Dutch",
    ),
]

#: Each line is a claim, and none if another person says it, or if it is negated, asked or imagined.
STATEMENTS = """
I live in Berlin
we moved to Lisbon
I'm a nurse
I work at Acme
my wife is called Ana
my brother Jon is here
I'm vegan
I'm allergic to nuts
I take 20 mg of citalopram
my phone number is 555-123-4567
I drive a Skoda
my birthday is on July 4
I speak Dutch
I love jazz
my favourite band is Radiohead
I'm feeling sad
the deadline is June 1
the budget is $500
we use Postgres
I quit Acme
"""

UNSAID = (
    "If {}, what would change?",
    "What if {}?",
    "I wonder whether {}.",
    "I wish {}.",
    "My boss thinks {}.",
    'She told me "{}".',
    "> {}",
    "```\n{}\n```",
    "Translate to French: {}.",
    "Pretend that {}.",
    "Let's play a game: {}.",
    "Imagine {}.",
    "Suppose {} for a moment.",
    "In my novel the hero says: {}.",
    "A friend said: {}.",
)


@pytest.mark.parametrize("text", NOTHING.strip().splitlines())
def test_extract_of_sentences_without_claims_returns_nothing(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(("text", "attribute", "value"), SAID)
def test_extract_finds_attribute_and_value(text: str, attribute: str, value: str) -> None:
    found = [(claim.attribute, claim.value) for claim in extract(text)]
    assert (attribute, value) in found


@pytest.mark.parametrize("wrapped", UNSAID)
def test_extract_ignores_statements_that_are_not_the_authors(wrapped: str) -> None:
    for statement in STATEMENTS.strip().splitlines():
        assert extract(f"{statement}."), statement
        assert extract(wrapped.format(statement)) == [], statement


@pytest.mark.parametrize(("text", "allergies"), ALLERGIES, ids=[text for text, _ in ALLERGIES])
def test_extract_reads_values_after_a_comma_only_in_lists(text: str, allergies: set[str]) -> None:
    assert {claim.value for claim in extract(text) if claim.attribute == "allergy"} == allergies


def test_extract_is_deterministic_without_duplicates() -> None:
    said = " ".join(text for text, *_ in SAID)
    assert extract(said) == extract(said)
    claims = extract(said)
    assert len({(claim.attribute, claim.value) for claim in claims}) == len(claims)


def test_extract_ignores_statements_about_others() -> None:
    claims = extract("My brother Jon lives in Milan. He works at Fiat and moved to Turin.")
    found = {(claim.attribute, claim.value) for claim in claims}
    jons = {("sibling", "Jon"), ("jon_residence", "Milan"), ("jon_employer", "Fiat")}
    assert found == jons
    assert extract("I'm tired and my sister started working at Fiat.") == []
    # With two possible people, the name is ambiguous.
    assert extract("I met my dad and my brother. His name is Anton.") == []


def test_extract_of_a_correction_names_the_wrong_value() -> None:
    earlier = extract("I live in Basel.")
    [claim] = extract("No, I meant Bern.", earlier)
    assert (claim.modality, claim.wrong, claim.value) == (Modality.CORRECTION, "Basel", "Bern")
    [claim] = extract("It's Bern, not Basel.", earlier)
    assert (claim.modality, claim.wrong, claim.value) == (Modality.CORRECTION, "Basel", "Bern")
    plans = extract("My flight is on Monday at 9.")
    [claim] = extract("oops, meant Tuesday at 9", plans)
    assert (claim.attribute, claim.wrong, claim.value) == (
        plans[0].attribute,
        "Monday at 9",
        "Tuesday at 9",
    )
    assert extract("That's not fair.", earlier) == []
    assert extract("I meant well.", earlier) == extract("I meant Bern.") == []


def test_extracted_quotes_are_verbatim() -> None:
    text = "So — I’m a nurse… and I live in Graz, you know.\n```\nI live in Rome.\n```"
    claims = extract(text)
    assert {claim.attribute for claim in claims} == {"job", "residence"}
    assert all(claim.quote in text for claim in claims)


def test_patterns_use_known_attributes() -> None:
    named = {pattern.attribute for pattern in PATTERNS if pattern.attribute}
    assert named - KNOWN.keys() == {"favourite"}
    assert len(named) >= 30


@pytest.mark.parametrize(
    "piece", ["I ", "I'm ", "my ", "we've just ", "I take ibuprofen and ", "A ", '"', "'s", ". "]
)
def test_extract_of_long_text_is_fast(piece: str) -> None:
    started = time.process_time()
    extract("I live in " + piece * (100_000 // len(piece)))
    assert time.process_time() - started < 5


def test_time_of_another_statement_limits_no_relation() -> None:
    [claim] = extract("My husband Tom is in Norway until June.")
    assert (claim.attribute, claim.value, claim.around) == ("partner", "Tom", "")


def test_lasting_condition_since_childhood_is_a_claim() -> None:
    for text in ("I've had asthma since I was a kid.", "I was diagnosed with asthma as a kid."):
        assert [(claim.attribute, claim.value) for claim in extract(text)] == [
            ("condition", "asthma")
        ]
    assert extract("I had asthma as a kid.") == []
