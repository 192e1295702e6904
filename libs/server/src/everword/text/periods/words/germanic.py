"""German, Dutch, Norwegian, Danish and Swedish words for times."""

#: Last parts of compounds that name a time by their first part.
_GERMAN_OUTINGS = (
    "ausflug, ausfluge, ausflugs, reise, trip, tour, fahrt, urlaub, urlaubs, besuch, besuchs, party, fest, feier,"
    " wanderung, spaziergang, treffen, tage, tagen, zeit"
)
GERMAN = {
    "function": (
        "der die das und was wer wo wie war hat ich ist mit nicht du sie er wir wann warum habe hatte"
        " mein meine worum ging"
    ),
    "articles": (
        "der, die, das, den, dem, des, etwa, ungefahr, circa, einschliesslich, genau, gut, knapp, rund, fast"
    ),
    "months": (
        "januar|januars|jänner, februar|februars|feber, märz, april|aprils, mai|mais, juni|junis, juli|julis,"
        " august|augusts, september|septembers, oktober|oktobers, november|novembers, dezember|dezembers"
    ),
    "weekdays": "montag, dienstag, mittwoch, donnerstag, freitag, samstag|sonnabend, sonntag",
    "numbers": (
        "ein|eine|einem|einer|einen, zwei, drei, vier, funf, sechs, sieben, acht, neun, zehn, elf, zwolf,"
        " dreizehn, vierzehn, funfzehn"
    ),
    "vague": {3: "einigen, ein paar, paar, wenigen, mehreren"},
    "ordinals": (
        "erste|ersten|erster, zweite|zweiten|zweiter, dritte|dritten|dritter, vierte|vierten|vierter,"
        " funfte|funften, sechste|sechsten, siebte|siebten, achte|achten, neunte|neunten, zehnte|zehnten,"
        " elfte|elften, zwolfte|zwolften"
    ),
    "days": {
        0: "heute",
        -1: "gestern",
        -2: "vorgestern",
        -3: "vorvorgestern",
        1: "morgen",
        2: "ubermorgen",
    },
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
    "calendar": {
        ("week", -1): "vorwoche",
        ("month", -1): "vormonat, vormonats",
        ("quarter", -1): "vorquartal, vorquartals",
        ("year", -1): "vorjahr, vorjahres, vorjahrs",
        ("year", 0): "heuer",
    },
    "K": "wochenende, wochenendes",
    "seasons": {
        "spring": "frühling, frühjahr, frühlings, frühjahrs",
        "summer": "sommer, sommers",
        "autumn": "herbst, herbstes",
        "winter": "winter, winters",
    },
    "parts": {
        "morning": "fruh, vormittag, morgens, fruhen morgen, fruhen vormittag, spaten vormittag",
        "noon": "mittag",
        "afternoon": "nachmittag, fruhen nachmittag, spaten nachmittag",
        "evening": "abend, abends, fruhen abend, spaten abend, spatabend",
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
    "f": "vorletzte, vorletzten, vorletzter, vorletztes, vorletztem, vorvorige, vorvorigen",
    "T": "diese, diesen, dieser, dieses, diesem",
    "N": "nachste, nachsten, nachster, nachstes, nachstem, kommende, kommenden, kommendes",
    "g": "vor",
    "S": "seit, ab",
    "F": "nach, nach dem",
    "u": "bis, bis zum, bis zu",
    "b": "zwischen",
    "R": "von, vom",
    "&": "und",
    "r": "bis, bis zum, auf",
    "o": "in, im, von",
    "i": "am, im, in, an, zu, zur, uber, ubers, wahrend, um, beim, im laufe",
    "k": "kw, kalenderwoche",
    "phrases": {
        "U:week F": "kurz nach, gleich nach, direkt nach, unmittelbar nach",
        "U:week B": "kurz vor, direkt vor, unmittelbar vor",
        "P:night r": "nacht auf, nacht zum",
    },
    "e": "anfang, beginn, zu beginn",
    "d": "mitte",
    "l": "ende, gegen ende, spat im",
    "h": "halfte",
    "holidays": {
        "christmas": "weihnachten, weihnachtsfeiertage, weihnachtsfeiertagen",
        "christmas holidays": "weihnachtsferien, weihnachtszeit, weihnachtsurlaub",
        "christmas eve": "heiligabend, heilig abend",
        "christmas day": "erster weihnachtstag, weihnachtstag",
        "new year": "jahreswechsel",
        "new year's eve": "silvester, silvesternacht, silvesterabend",
        "new year's day": "neujahr, neujahrstag",
        "easter": "ostern, osterwochenende, osterzeit, osterfeiertage, osterfeiertagen",
        "easter holidays": "osterferien, osterurlaub",
        "holy week": "karwoche",
        "lent": "fastenzeit",
        "summer holidays": "sommerferien, sommerurlaub",
        "autumn holidays": "herbstferien, herbsturlaub",
        "good friday": "karfreitag",
        "easter monday": "ostermontag",
        "carnival": "karneval, fasching, fasnacht, karnevalszeit, faschingszeit",
        "pentecost": "pfingsten, pfingstwochenende",
        "easter saturday": "ostersamstag, karsamstag",
        "easter sunday": "ostersonntag",
        "whit sunday": "pfingstsonntag",
        "whit monday": "pfingstmontag",
        "pentecost holidays": "pfingstferien, pfingsturlaub",
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
    "stems": {
        ("K", None): "wochenend",
        ("H", "christmas holidays"): "weihnachts",
        ("H", "easter"): "oster",
        ("H", "pentecost"): "pfingst",
    },
    "compounds": (
        ("MH", "woche", "U:week o *"),
        ("MH", "wochenende", "K o *"),
        ("MAU", "anfang, beginn", "e *"),
        ("MAU", "mitte", "d *"),
        ("MAU", "ende", "l *"),
        ("MAU", "hälfte", "h *"),
        ("früh", "A", "e +"),
        ("spät", "A", "l +"),
        ("hoch", "A", "+"),
        ("A", "semester", "* U:term"),
        ("W", "P", "* +"),
        ("W", "morgen", "* P:morning"),
        # In "the first days of May", the ordinal does not name a day of May.
        ("M", "tage, tagen", "i *"),
        ("WMAH", _GERMAN_OUTINGS, "*"),
        ("K", _GERMAN_OUTINGS, "i *"),
    ),
    "events": {
        "duration": "wie (?:lange|viele)",
        "first": "ich, wir, er, sie, mein(?:e[rnms]?)?, unser(?:e[rnms]?)?, dem, der, den, die, das, des",
        "before": "_? bevor …, _? vor …",
        "after": "_? nachdem …, _? nach …, _? seit …, seitdem …",
        "day before": "vortag …, vorabend …",
        "on": "tag der …, tag des …, tag meine[rs] …, tag unsere[rs] …",
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
        "christmas holidays": "kerstvakantie",
        "new year's eve": "oudejaarsavond, oud en nieuw",
        "easter": "pasen",
        "pentecost": "pinksteren",
        "summer holidays": "zomervakantie",
        "autumn holidays": "herfstvakantie",
    },
    "compounds": (("W", "P", "* +"), ("WMAH", "uitje, reis, feest, vakantie", "*")),
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
    "k": "i uke, i vecka, i uge",
    "phrases": {
        "U:week F": "rett etter, like etter, kort etter",
        "U:week B": "rett før, like før, kort før",
    },
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
        "christmas holidays": "juleferie, juleferien, jullov, jullovet",
        "easter sunday": "første paskedag",
        "easter monday": "andre paskedag, annandag pask",
        "easter saturday": "paskeaften, paskaften, paskafton",
        "whit monday": "andre pinsedag",
        "end of the year": "romjul, romjula, romjulen, mellandagarna",
        "summer holidays": "sommerferie, sommerferien, sommarlov, sommarlovet, fellesferien",
        "autumn holidays": "høstferie, høstferien, hostlov, hostlovet, efterarsferie, efterarsferien",
        "winter holidays": "vinterferie, vinterferien, sportlov, sportlovet",
        "good friday": "langfredag",
        "pentecost": "pinse, pinsen",
        "constitution day": "syttende mai, grunnlovsdagen",
        "midsummer": "sankthans, midsommar, st hans",
        "halloween": "halloween",
    },
    "stems": {("K", None): "helge", ("H", "christmas"): "jule", ("H", "easter"): "paske"},
    "compounds": (
        ("W", "P", "* +"),
        ("WMAH", "tur, turen, reise, reisen, fest, festen", "*"),
        ("K", "tur, turen, reise, reisen", "i *"),
    ),
    "events": {
        "duration": "hvor (?:lenge|mange), hvor lang tid, hur (?:lange|manga)",
        "first": "jeg, jag, vi, han, hun, hon, min, mitt, mi, mine, vår, vårt, hans, hennes",
        "nouns": "\\p{L}{3}\\p{L}+(?:et|en|ene)",
        "before": "_? før …, _? innan …, _? före …",
        "after": "_? etter(?: at)? …, _? efter(?: att)? …, _? siden …, _? sedan …",
        "day before": "kvelden før …",
        "on": "dagen for …",
    },
}
