"""German, Dutch, Norwegian, Danish and Swedish words for times."""

GERMAN = {
    "function": (
        "der die das und was wer wo wie war hat ich ist mit nicht du sie er wir wann warum habe hatte"
        " mein meine worum ging"
    ),
    "articles": "der, die, das, den, dem, des, etwa, ungefahr, circa, einschliesslich",
    "months": (
        "januar|jänner, februar|feber, märz, april, mai, juni, juli, august, september, oktober, november, dezember"
    ),
    "weekdays": "montag, dienstag, mittwoch, donnerstag, freitag, samstag|sonnabend, sonntag",
    "numbers": (
        "ein|eine|einem|einer|einen, zwei, drei, vier, funf, sechs, sieben, acht, neun, zehn, elf, zwolf,"
        " dreizehn, vierzehn, funfzehn"
    ),
    "vague": {3: "einigen, ein paar, paar, wenigen, mehreren"},
    "ordinals": "erste|ersten|erster, zweite|zweiten|zweiter, dritte|dritten|dritter, vierte|vierten|vierter",
    "days": {0: "heute", -1: "gestern", -2: "vorgestern", 1: "morgen", 2: "ubermorgen"},
    "units": {
        "hour": "stunde, stunden",
        "day": "tag, tage, tagen, tags",
        "week": "woche, wochen",
        "month": "monat, monate, monaten, monats",
        "quarter": "quartal, quartals, vierteljahr",
        "half year": "halbe jahr, halben jahr, halbes jahr",
        "year": "jahr, jahre, jahren, jahres",
        "decade": "jahrzehnt, jahrzehnte",
        "term": "semester, semesters, halbjahr",
        "school year": "schuljahr",
    },
    "K": "wochenende, wochenendes",
    "seasons": {
        "spring": "frühling, frühjahr, frühlings",
        "summer": "sommer, sommers, hochsommer, sommerferien, sommerurlaub",
        "autumn": "herbst, herbstes, spätherbst, herbstferien",
        "winter": "winter, winters",
    },
    "parts": {
        "morning": "fruh, vormittag, morgens",
        "noon": "mittag",
        "afternoon": "nachmittag",
        "evening": "abend, abends",
        "night": "nacht",
    },
    "moments": {
        (0, "night"): "heute nacht",
        (0, "morning"): "heute morgen",
        (-1, "morning"): "gestern morgen",
    },
    "L": (
        "letzte, letzten, letzter, letztes, letztem, vergangene, vergangenen, vergangenes, vergangener,"
        " vorige, vorigen, voriges, voriger"
    ),
    "f": "vorletzte, vorletzten, vorletzter, vorletztes, vorletztem",
    "T": "diese, diesen, dieser, dieses, diesem",
    "N": "nachste, nachsten, nachster, nachstes, nachstem, kommende, kommenden, kommendes",
    "g": "vor",
    "S": "seit, ab",
    "F": "nach, nach dem",
    "u": "bis, bis zum, bis zu",
    "b": "zwischen",
    "R": "von, vom",
    "&": "und",
    "r": "bis, bis zum",
    "o": "in, im, von",
    "i": "am, im, in, an, zu, uber, wahrend, um",
    "e": "anfang",
    "d": "mitte",
    "l": "ende, gegen ende, spat im",
    "h": "halfte",
    "holidays": {
        "christmas": "weihnachten, weihnachtsferien, weihnachtsfeiertage, weihnachtsfeiertagen",
        "christmas eve": "heiligabend, heilig abend",
        "christmas day": "erster weihnachtstag, weihnachtstag",
        "new year": "jahreswechsel",
        "new year's eve": "silvester",
        "new year's day": "neujahr, neujahrstag",
        "easter": "ostern, osterwochenende, ostersonntag, osterfeiertage, osterfeiertagen",
        "easter holidays": "osterferien",
        "good friday": "karfreitag",
        "easter monday": "ostermontag",
        "carnival": "karneval, fasching, fasnacht",
        "pentecost": "pfingsten, pfingstwochenende, pfingstsonntag, pfingstmontag",
        "ascension": "christi himmelfahrt, himmelfahrt, vatertag",
        "corpus christi": "fronleichnam",
        "german unity day": "tag der deutschen einheit",
        "st nicholas": "nikolaus, nikolaustag",
        "valentine's day": "valentinstag",
        "mother's day": "muttertag",
        "halloween": "halloween",
        "all saints": "allerheiligen",
        "may day": "tag der arbeit, maifeiertag",
        "end of the year": "zwischen den jahren",
        "advent": "advent, adventszeit",
        "ramadan": "ramadan",
    },
}
DUTCH = {
    "function": "de het een en wat wie waar hoe was heeft ik niet met ze hij wij wanneer mijn zei heb",
    "articles": "de, het, ongeveer",
    "months": (
        "januari, februari, maart, april, mei, juni, juli, augustus, september, oktober, november, december"
    ),
    "weekdays": "maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag",
    "numbers": "een, twee, drie, vier, vijf, zes, zeven, acht, negen, tien, elf, twaalf",
    "vague": {3: "paar, een paar, enkele"},
    "ordinals": "eerste, tweede, derde, vierde",
    "days": {0: "vandaag", -1: "gisteren", -2: "eergisteren", 1: "morgen", 2: "overmorgen"},
    "units": {
        "hour": "uur, uren",
        "day": "dag, dagen",
        "week": "week, weken",
        "month": "maand, maanden",
        "quarter": "kwartaal",
        "year": "jaar, jaren",
    },
    "K": "weekend, weekeinde",
    "seasons": {
        "spring": "lente, voorjaar",
        "summer": "zomer",
        "autumn": "herfst",
        "winter": "winter",
    },
    "parts": {"morning": "ochtend", "afternoon": "middag", "evening": "avond", "night": "nacht"},
    "moments": {
        (0, "evening"): "vanavond",
        (0, "morning"): "vanochtend",
        (-1, "evening"): "gisteravond",
    },
    "L": "vorige, afgelopen, laatste",
    "f": "voorlaatste, eervorige",
    "T": "deze, dit",
    "N": "volgende, komende",
    "g": "geleden",
    "S": "sinds, vanaf",
    "B": "voor",
    "F": "na",
    "u": "tot",
    "b": "tussen",
    "R": "van",
    "&": "en",
    "r": "tot, tot en met",
    "o": "van, in",
    "i": "in, op, met, tijdens",
    "e": "begin",
    "d": "midden, half",
    "l": "eind, einde",
    "holidays": {
        "christmas": "kerst, kerstmis",
        "new year's eve": "oudejaarsavond, oud en nieuw",
        "easter": "pasen",
        "pentecost": "pinksteren",
    },
}
NORDIC = {
    "function": (
        "hva hvem hvor hvordan var og jeg det en er ikke med pa som til hun han vi nar vad vem jag och ar"
        " hvad fortalte sa i for den"
    ),
    "articles": "den, det, de, cirka, omtrent",
    "months": (
        "januar|januari, februar|februari, mars|marts, april, mai|maj, juni, juli, august|augusti, september, oktober,"
        " november, desember|december"
    ),
    "weekdays": (
        "mandag|mandagen, tirsdag|tirsdagen|tisdag|tisdagen, onsdag|onsdagen, torsdag|torsdagen, fredag|fredagen,"
        " lørdag|lørdagen|lordag|lordagen, søndag|søndagen|sondag|sondagen"
    ),
    "numbers": (
        "en|et|ett|ei, to|tva, tre, fire|fyra, fem, seks|sex, syv|sju, atte|otte|atta, ni|nio, ti|tio, elleve|elva,"
        " tolv, tretten|tretton, fjorten|fjorton, femten|femton"
    ),
    "vague": {2: "et par, ett par", 3: "noen, noen fa, nagra"},
    "ordinals": "første|forste|forsta, andre|andra|anden, tredje, fjerde|fjarde",
    "days": {
        0: "i dag, idag",
        -1: "i gar, igar",
        -2: "i forgars, forgars, i forrgar, i forgårs",
        1: "i morgen, i morgon",
        2: "i overmorgen, i overmorgon",
    },
    "units": {
        "hour": "time, timer",
        "day": "dag, dager, dagen, dagar, dage",
        "week": "uke, uker, uken, uka, uge, uger, ugen, vecka, veckor, veckan",
        "month": "maned, maneder, maneden, manad, manader, manaden",
        "quarter": "kvartal, kvartalet",
        "year": "ar, aret",
    },
    "calendar": {
        ("year", -1): "i fjor, i fjol, sidste ar",
        ("weekend", -1): "i helgen, i helga, i helgene",
    },
    "K": "helg, helgen, helga, weekend, weekenden",
    "seasons": {
        "spring": "var, varen, foråret, foraret",
        "summer": "sommer, sommeren, sommar, sommaren",
        "autumn": "høst, høsten, hosten, efteraret",
        "winter": "vinter, vinteren, vintern",
    },
    "last seasons": {
        "spring": "i var, i varas",
        "summer": "i sommer, i fjor sommer, i somras",
        "autumn": "i høst, i host, i hostas",
        "winter": "i vinter, i vintras",
    },
    "parts": {
        "morning": "morges, morgen, morgenen, formiddag, formiddagen, morse",
        "afternoon": "ettermiddag, ettermiddagen, eftermiddag",
        "evening": "kveld, kvelden, aften, aftenen, kvall, kvallen",
        "night": "natt, natten, nat",
    },
    "moments": {
        (0, "morning"): "i morges, i dag tidlig, i morse",
        (0, "evening"): "i kveld, i aften, i kvall",
        (-1, "evening"): "i gar kveld, i gar aftes, i gar kvall, i gar aften",
        (0, "night"): "i natt, i nat",
    },
    "L": "forrige, sist, siste, sidste, forra, senaste, i fjor",
    "f": "forforrige, nest siste, forrforra, naest sidste",
    "T": "denne, dette, denna, detta",
    "N": "neste, kommende, naeste, nasta",
    "G": "siden, for siden, sedan",
    "g": "sedan",
    "S": "siden, fra og med",
    "B": "før, innan, fore",
    "F": "etter, efter",
    "u": "til, frem til, inntil, till",
    "b": "mellom, mellem, mellan",
    "R": "fra, fran",
    "&": "og, och",
    "r": "til, till",
    "o": "i, av, af",
    "i": "i, pa, om, under, for, rundt",
    "e": "tidlig i, begynnelsen av, tidlig, starten av",
    "d": "midten av, midt i",
    "l": "sent i, slutten av, slutten",
    "holidays": {
        "christmas": "jul, julen, jula, i julen",
        "christmas eve": "julaften, julafton",
        "christmas day": "første juledag, juldagen",
        "new year": "nyttar, nyar",
        "new year's eve": "nyttarsaften, nyttarsaftenen, nyarsafton",
        "new year's day": "nyttarsdag, første nyttarsdag",
        "easter": "paske, pasken, paska, pask",
        "easter holidays": "paskeferie, paskeferien, pasklov, pasklovet",
        "good friday": "langfredag",
        "pentecost": "pinse, pinsen",
        "constitution day": "syttende mai, grunnlovsdagen",
        "midsummer": "sankthans, midsommar, st hans",
        "halloween": "halloween",
    },
}
