"""Units of measure, of time and of money, next to a number."""

from __future__ import annotations

import regex

#: Each line is a unit with its spellings in some languages; a spelling of several words has underscores. A spelling may
#: be in several lines: a pound is a weight, or money.
_LINES = """
kg: kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes kilogramm chilo chili chilogrammi quilo quilos
g: g gr gram grams gramme grammes gramm grammo grammi gramo gramos grama gramas
mg: mg milligram milligrams milligramme milligrammes milligramm miligramo miligramos milligrammi
mcg: mcg μg microgram micrograms mikrogramm
tonne: tonne tonnes ton tons tonnen tonelada toneladas tonnellate
lb: lb lbs pound pounds pfund
oz: oz ounce ounces unzen
km: km kms kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro kilómetros chilometro chilometri
km: quilómetro quilómetros quilômetros
m: m metre metres meter meters metern mètre mètres metro metros metri
cm: cm centimetre centimetres centimeter centimeters zentimeter centimètre centimètres centímetro centímetros
mm: mm millimetre millimetres millimeter millimeters millimètre millimètres milímetro milímetros
mi: mi mile miles meile meilen millas miglia milhas
ft: ft foot feet fuß pie pies pied pieds piedi
inch: inch inches zoll pouces pulgadas pollici
yd: yd yard yards
m²: m² m2 sqm square_metres square_meters quadratmeter mètres_carrés metros_cuadrados
ft²: ft² ft2 sqft sq_ft square_feet
ha: ha hectare hectares hektar hectáreas
acre: acre acres
l: l litre litres liter liters litern litro litros litri
ml: ml millilitre millilitres milliliter milliliters mililitros
cl: cl
dl: dl
gal: gal gallon gallons gallonen galones
cup: cup cups
tbsp: tbsp tablespoon tablespoons esslöffel el
tsp: tsp teaspoon teaspoons teelöffel tl
ns: ns nanosecond nanoseconds nanosekunden
μs: μs us microsecond microseconds mikrosekunden
ms: ms msec millisecond milliseconds millisekunde millisekunden millisecondes milisegundos
s: s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondi
min: min mins minute minutes minuten minuto minutos minuti minuut
h: h hr hrs hour hours stunde stunden std heure heures hora horas ora ore uur uren
day: d day days tag tage tagen jour jours día días giorno giorni dia dias dag dagen 日 天
week: wk wks week weeks woche wochen semaine semaines semana semanas settimana settimane weken 周
month: mo mos month months monat monate monaten mois mes meses mese mesi mês maand maanden
year: yr yrs year years jahr jahre jahren an ans année années año años anno anni ano anos jaar jaren 年
decade: decade decades jahrzehnt jahrzehnte décennies décadas
%: % percent per_cent pct prozent pour_cent pourcent por_ciento por_cento per_cento procent
point: percentage_point percentage_points prozentpunkte
$: $ us$ usd dollar dollars dólar dólares dollari bucks
€: € eur euro euros
£: £ gbp pound pounds quid pfund
chf: chf franc francs franken sfr
¥: ¥ jpy yen cny rmb yuan
₹: ₹ inr rupee rupees
₽: ₽ rub ruble rubles rouble roubles рубль рубля рублей
cad: cad c$
aud: aud a$
cent: cent cents
byte: byte bytes
kb: kb kib kilobyte kilobytes
mb: mb mib megabyte megabytes
gb: gb gib gigabyte gigabytes
tb: tb tib terabyte terabytes
kbit: kbit kbit/s kbps
mbit: mbit mbit/s mbps
gbit: gbit gbit/s gbps
°c: °c celsius °_c degrees_celsius degrees_c deg_c grad_celsius grad degrees degree degrés grados gradi °
°f: °f fahrenheit °_f degrees_fahrenheit degrees_f deg_f grad_fahrenheit grad degrees degree degrés grados gradi °
km/h: km/h kmh kph stundenkilometer
mph: mph
m/s: m/s
w: w watt watts
kw: kw kilowatt kilowatts
mw: mw megawatt megawatts
kwh: kwh kilowatt_hours kilowattstunden
v: v volt volts
a: amp amps ampere
mah: mah
hz: hz hertz
khz: khz
mhz: mhz megahertz
ghz: ghz gigahertz
px: px pixel pixels
fps: fps
rpm: rpm
bar: bar
psi: psi
kcal: kcal calories kalorien
message: message messages nachricht nachrichten mensajes mensagens messaggi
"""
#: Units by writing.
UNITS: dict[str, frozenset[str]] = {}
for _line in _LINES.strip().splitlines():
    _unit, _writings = _line.split(": ")
    for _writing in _writings.split():
        _spaced = _writing.replace("_", " ")
        UNITS[_spaced] = UNITS.get(_spaced, frozenset()) | {_unit}

_WRITINGS = "|".join(regex.escape(writing) for writing in sorted(UNITS, key=len, reverse=True))
_AFTER = regex.compile(rf"[ -]?(?P<unit>{_WRITINGS})(?![\p{{L}}\p{{N}}])")
_MONEY = r"us\$|c\$|a\$|[$€£¥₹₽]|usd|eur|gbp|chf|jpy|cad|aud|inr"
_BEFORE = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?P<unit>{_MONEY}) ?$")
#: No sign of money with its space is longer.
_REACH = 5
#: `an hour`, `une heure`: one of a unit, in sources.
ONE_AND_UNIT = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}])(?:an?|eine?[nrm]?|une?|una|uno|uma?|een) (?P<unit>{_WRITINGS})(?![\p{{L}}\p{{N}}])"
)


def adjacent_unit(folded: str, start: int, end: int) -> tuple[int, int, frozenset[str]]:
    """Return start and end of a number with its unit, and the possible units; empty if none is known."""
    after = _AFTER.match(folded, end)
    if after:
        return start, after.end(), UNITS[after["unit"]]
    near = max(start - _REACH, 0)
    before = _BEFORE.search(folded[near:start])
    if before:
        return near + before.start(), end, UNITS[before["unit"]]
    return start, end, frozenset()
