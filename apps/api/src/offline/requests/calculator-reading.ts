import type { Language } from '@mira/shared'
import { isoDayIn } from '../../platform/lib/time-zone-offset.ts'
import type { MathTask } from '../math/math.ts'
import { dateParsers, type RequestContext } from './reading.ts'
import { withDigits } from './spoken-numbers.ts'

/** Opening words of a question, irrelevant to the calculation. */
const openings =
  /^(?:(?:please|bitte|por favor|s'il (?:te|vous) pla[iî]t)[\s,]+)?(?:(?:(?:can|could|would|will) you|i (?:need|want) to|i need you to|help me(?: to)?|how (?:do|can|would) (?:i|you))\s+)*(?:please\s+)?(?:(?:what(?:['’]?s| is| are| does| do| would)(?: the (?:result|value|answer|solution|sum) (?:of|to|for))?|the (?:answer|result|solution) (?:to|of|for)|how much (?:is|are|does|would)|how many is|calculate|compute|evaluate|work out|figure out|solve|convert|change|find(?: me)?|know|give me|tell me|what(?= [\d(])|(?=(?:add|subtract|multiply|divide) \d)|was (?:ist|sind|ergibt)|wie ?viel (?:ist|sind|macht|ergibt)|berechne|rechne|löse|wandle|cuánto (?:es|son|da)|cuál es|calcula|resuelve|convierte|combien (?:font?|fait)|quel(?:le)? est|calcule[rz]?|résous|convertis|convertir)\b[\s:]*)+/iu

/** Words after a calculation. */
const endings = /(?:[\s,]+(?:please|for me|bitte|por favor|equals?(?: to)?|make|is|be))+$/iu

/** Calculations that start with a verb. */
const verbs: readonly [RegExp, string][] = [
  [/^(?:add|add up|sum) ([\d.]+) (?:and|to|plus|with) ([\d.]+)$/iu, '$1 + $2'],
  [/^subtract ([\d.]+) from ([\d.]+)$/iu, '$2 - $1'],
  [/^multiply ([\d.]+) (?:by|with|and|times) ([\d.]+)$/iu, '$1 * $2'],
  [/^divide ([\d.]+) (?:by|with) ([\d.]+)$/iu, '$1 / $2'],
  [/^([\d.]+) to the ([\d.]+)(?:st|nd|rd|th)(?: power)?$/iu, '$1 ^ $2'],
  [/^(?:half|one half) of ([\d.]+)$/iu, '$1 / 2'],
  [
    /^an? ([\d.]+) ?(?:%|percent) tip (?:on|for|of) (?:an? )?([\d.]+)(?: dollars?| euros?)?(?: bill| meal| check| tab)?$/iu,
    '$1 / 100 * $2',
  ],
]

const spokenUnit =
  '(?:fluid )?(?:kilo|centi|milli)?(?:met(?:er|re)s?|grams?|lit(?:er|re)s?)|kilos?|inch(?:es)?|feet|foot|yards?|miles?|ounces?|pounds?|tons?|cups?|pints?|quarts?|gallons?|tablespoons?|teaspoons?|seconds?|minutes?|hours?|days?|weeks?|months?|years?'
/** "how many ounces are in 4 pounds", "inches to centimeters" */
const conversions: readonly [RegExp, string][] = [
  [
    new RegExp(
      `^how many (${spokenUnit})(?: are| is| do| does| make| equals?)?(?: there)?(?: in| make| to)? (?:an? |one )?((?:half an? |[\\d.]+ )?(?:${spokenUnit}))$`,
      'iu',
    ),
    '$2 to $1',
  ],
  [new RegExp(`^(${spokenUnit}) (?:to|into|in) (${spokenUnit})$`, 'iu'), '1 $1 to $2'],
  [
    new RegExp(`^(?:conversion (?:for|of|between) )(${spokenUnit}) (?:to|and) (?:an? )?(${spokenUnit})$`, 'iu'),
    '1 $1 to $2',
  ],
]
const volumes = /\b(?:cups?|pints?|quarts?|gallons?|(?:milli)?lit(?:er|re)s?|tablespoons?|teaspoons?)\b/iu

/** An article before the calculation. */
const articles = /^(?:the|el|la|los|las|le|les|der|die|das)\s+|^l['’]/iu

/** An amount minus a percentage. */
const discounts =
  /([\d.]+)\s*(?:%|percent|prozent|por ciento|pour ?cent)\s*(?:off(?: of)?|discount on|rabatt auf|de descuento (?:en|de|sobre)|de (?:réduction|remise|rabais) sur)\s+([\d.]+)/giu

/** Feet with inches. The unit of the inches is often left out, and "in" may also be a preposition. */
const feetAndInches =
  /(\d[\d.]*)\s*(?:ft|feet|foot|['′])\s*(?:and\s+)?(\d[\d.]*)(?:\s*(?:inch(?:es)?|in|["″]))?(?=\s+(?:in|into|to|as|en|a|nach|als)\s|$)/giu

/** Spoken operators and their signs; the order matters. */
const operators: readonly [RegExp, string][] = [
  [/\b(?:to the power of|hoch|elevado a(?: la)?|puissance)\b/giu, '^'],
  [/\b(?:squared|al cuadrado|au carré|zum quadrat)/giu, '^2'],
  [/\b(?:cubed|al cubo|au cube)\b/giu, '^3'],
  [/\b(?:divided by|geteilt durch|dividido (?:por|entre)|divisé par)\b/giu, '/'],
  [/\b(?:multiplied by|times|mal|multiplicado por|por|fois|multiplié par)\b(?=\s*[-(\d])/giu, '*'],
  [/\b(?:plus|más)\b(?=\s*[-(\d])/giu, '+'],
  [/\b(?:minus|less|weniger|menos|moins)\b(?=\s*[-(\d])/giu, '-'],
  [
    /\b(?:the )?(?:square root of|quadratwurzel (?:aus|von)|wurzel (?:aus|von)|raíz cuadrada de|racine(?: carrée)? de)\s*\(?\s*([\d.]+)\s*\)?/giu,
    'sqrt($1)',
  ],
  [/√\s*\(?\s*([\d.]+)\s*\)?/gu, 'sqrt($1)'],
  [/(?<=[\d)])\s*[x×·]\s*(?=[-(\d])/gu, ' * '],
  [/÷/gu, '/'],
  [/[−–]/gu, '-'],
  [/π/gu, 'pi'],
  [/²/gu, '^2'],
  [/³/gu, '^3'],
]

/** Names of units that mathjs doesn't know. */
const units: readonly [RegExp, string][] = [
  [/(?:°\s*|\b(?:degrees?|grad|grados?|degrés?)\s+)(?:c\b|celsius)|\bcelsius\b/giu, 'degC'],
  [/(?:°\s*|\b(?:degrees?|grad|grados?|degrés?)\s+)(?:f\b|fahrenheit)|\bfahrenheit\b/giu, 'degF'],
  [/\b(?:kilometern?|kilometres?|kilómetros?|kilomètres?)\b/giu, 'km'],
  [/\b(?:metern?|metros?|mètres?)\b/giu, 'm'],
  [/\b(?:zentimetern?|centimetres?|centímetros?|centimètres?)\b/giu, 'cm'],
  [/\b(?:meilen?|millas?)\b/giu, 'miles'],
  [/(?<!\p{L})(?:fu(?:ß|ss)|pies?|pieds?)(?!\p{L})/giu, 'feet'],
  [/\b(?:zoll|pulgadas?|pouces?)\b/giu, 'inch'],
  [/\b(?:pfund|libras?|livres?|pounds?)\b/giu, 'lb'],
  [/\b(?:unzen?|onzas?|onces?)\b/giu, 'oz'],
  [/\b(?:kilos?|kilogramm|kilogramos?|kilogrammes?)\b/giu, 'kg'],
  [/\b(?:gramm|gramos?|grammes?)\b/giu, 'g'],
  [/\b(?:litern?|litros?|litres?)\b/giu, 'l'],
  [/\b(?:stunden?|horas?|heures?)\b/giu, 'hours'],
  // min(…) is a function.
  [/\b(?:minuten|minutos?)\b|\bmins?\b(?!\s*\()/giu, 'minutes'],
  [/\b(?:sekunden?|segundos?|secondes?)\b/giu, 'seconds'],
  [/\b(?:tagen?|días?|jours?)\b/giu, 'days'],
  [/\b(?:wochen?|semanas?|semaines?)\b/giu, 'weeks'],
]

/** Words for statistics of a list of numbers. */
const statistics: readonly [RegExp, 'all' | 'mean' | 'median' | 'sum' | 'minimum' | 'maximum' | 'standardDeviation'][] =
  [
    [/\b(?:statistics|stats|statistik|estadísticas|statistiques)\b/iu, 'all'],
    [
      /(?<!\p{L})(?:standard deviation|std|standardabweichung|desviación (?:estándar|típica)|écart[- ]type)(?!\p{L})/iu,
      'standardDeviation',
    ],
    [/\b(?:median|mediana|médiane)\b/iu, 'median'],
    [/\b(?:mean|average|mittelwert|durchschnitt|media|promedio|moyenne)\b/iu, 'mean'],
    [/\b(?:sum|total|summe|suma|somme)\b/iu, 'sum'],
    [/\b(?:minimum|smallest|kleinste|mínimo)\b/iu, 'minimum'],
    [/\b(?:maximum|largest|größte|máximo)\b/iu, 'maximum'],
  ]

/** Named days, with month (1 to 12) and day. */
const namedDays: readonly [RegExp, number, number][] = [
  [/\b(?:christmas eve|heiligabend|heilig abend|nochebuena|réveillon de noël)\b/iu, 12, 24],
  [/\b(?:christmas(?: day)?|weihnachten|navidad|noël)\b/iu, 12, 25],
  [/\b(?:new year'?s eve|silvester|nochevieja|saint[- ]sylvestre)\b/iu, 12, 31],
  [/\b(?:new year'?s?(?: day)?|neujahr|año nuevo|nouvel an)\b/iu, 1, 1],
  [/\b(?:valentine'?s day|valentinstag|san valentín|saint[- ]valentin)\b/iu, 2, 14],
  [/\b(?:halloween)\b/iu, 10, 31],
]

/** A day without a time: month 1 to 12. */
export interface CalendarDay {
  year: number
  month: number
  day: number
}

/** Calculation requested by a sentence. */
export type Calculation =
  | { kind: 'math'; task: MathTask; figure?: (typeof statistics)[number][1] }
  | { kind: 'days-between'; from: CalendarDay; to: CalendarDay; isInWeeks: boolean }
  | { kind: 'day-at'; from: CalendarDay; days: number }

const MAX_CHARACTERS = 20_000
const MAX_SENTENCE_CHARACTERS = 400
/** Maximum number of words before "days until", such as "can you tell me how many". */
const MAX_OPENING_WORDS = 7

/** Reads a sentence or an expression as a calculation; null when it isn't one. */
export function readCalculation(input: string, reader: RequestContext): Calculation | null {
  // Phones type curly quotes.
  const text = input
    .replace(/[’‘]/gu, "'")
    .replace(/[”“]/gu, '"')
    .replace(/^[\s¿¡]+/u, '')
    .trim()
  if (text === '' || text.length > MAX_CHARACTERS) return null
  if (text.length > MAX_SENTENCE_CHARACTERS) return /\d/.test(text) ? readStatistics(text, reader.language) : null
  const spoken = withDigits(text, reader.language)
  if (!/\d|until|till|since|bis|seit|hasta|desde|jusqu|depuis|how many|\b(?:to|into|between)\b/iu.test(spoken))
    return null
  return readStatistics(spoken, reader.language) ?? readDates(spoken, reader) ?? readExpression(spoken, reader.language)
}

const numberPattern = /[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?/giu

/** In German and Spanish, a dot before three digits groups them; in any language, several such dots do. */
const groupedByDots = /^[-+]?[1-9]\d{0,2}(?:\.\d{3})+$/
const groupedBySeveralDots = /^[-+]?[1-9]\d{0,2}(?:\.\d{3}){2,}$/
const groupedBySpaces = /(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)/gu

/** Converts `1,234.5` or `1.234,5` to `1234.5`. The language decides which sign is the decimal one unless the number itself shows it. */
function plainNumber(number: string, language: Language): string {
  const isGrouped = language === 'de' || language === 'es' ? groupedByDots : groupedBySeveralDots
  if (isGrouped.test(number)) return number.replaceAll('.', '')
  const decimalSign = /[.,]/.test(number)
    ? number.lastIndexOf(',') > number.lastIndexOf('.') && number.includes('.')
      ? ','
      : number.lastIndexOf('.') > number.lastIndexOf(',') && number.includes(',')
        ? '.'
        : language === 'en' || number.includes('.')
          ? '.'
          : ','
    : '.'
  const grouping = decimalSign === '.' ? /,/g : /\./g
  return number.replace(grouping, '').replace(',', '.')
}

function readStatistics(text: string, language: Language): Calculation | null {
  const figure = statistics.find(([pattern]) => pattern.test(text))?.[1]
  // In a list, a comma before a space or between integers separates numbers; a pasted column has one number per line.
  const list = text
    .replace(/(\d)\s*[;,]\s+(?=[-+\d])/g, '$1 ; ')
    .replace(/(?<=\d),(?=\d)/g, (comma, index: number, all: string) => {
      const isEnglishList = language === 'en' && !/^,\d{3}(?!\d)/.test(all.slice(index))
      return isEnglishList ? ' ; ' : comma
    })
  const numbers = (list.match(numberPattern) ?? []).map((number) => plainNumber(number, language))
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const isColumn = lines.length >= 3 && lines.every((line) => /^[-+]?[\d.,]+$/.test(line.trim()))
  if ((figure === undefined && !isColumn) || /\b(?:between|zwischen|entre)\b/iu.test(text)) return null
  if (numbers.length < 2 || !/^(?:\D|\d+\s*:)*\d[-+\d\s.,;e]*(?:(?:and|und|y|et)\b[-+\d\s.,;e]*)*\D*$/iu.test(list))
    return null
  return { kind: 'math', task: { kind: 'statistics', numbers }, figure: figure ?? 'all' }
}

/** Today in the user's time zone. */
export function today({ now, timeZone }: Pick<RequestContext, 'now' | 'timeZone'>): CalendarDay {
  const [year = 0, month = 0, day = 0] = isoDayIn(timeZone, now).split('-').map(Number)
  return { year, month, day }
}

/** Day named in a text, looking forward from today unless `isPast`; null for none. */
function readDay(text: string, reader: RequestContext, isPast = false): CalendarDay | null {
  const now = today(reader)
  for (const [pattern, month, day] of namedDays) {
    if (!pattern.test(text)) continue
    const year = Number(/\b(\d{4})\b/.exec(text)?.[1] ?? 0)
    if (year > 0) return { year, month, day }
    const isAhead = month > now.month || (month === now.month && day >= now.day)
    return { year: isPast ? (isAhead ? now.year - 1 : now.year) : isAhead ? now.year : now.year + 1, month, day }
  }
  // Noon, so that the machine's time zone doesn't shift the day.
  const reference = new Date(now.year, now.month - 1, now.day, 12)
  for (const parser of [dateParsers[reader.language], dateParsers.en]) {
    const [match] = parser.parse(text, reference, { forwardDate: !isPast })
    if (!match) continue
    const [year, month, day] = [match.start.get('year'), match.start.get('month'), match.start.get('day')]
    if (year !== null && month !== null && day !== null) return { year, month, day }
  }
  return null
}

const until =
  /(?:\b(?:days?|weeks?|long|sleeps)\b.*\b(?:until|till|til|to|before)\b|\b(?:tage|wochen|lange)\b.*\bbis(?: zum?)?\b|(?:días|semanas|falta(?:n)?)\b.*\b(?:hasta|para)\b|\b(?:jours|semaines)\b.*(?:jusqu(?:e|'(?:au|à|en))|avant))\s*(?<day>.+)$/iu
const since =
  /(?:\b(?:days?|weeks?|long)\b.*\bsince\b|\b(?:tage|wochen|lange)\b.*\bseit\b|(?:días|semanas)\b.*\bdesde\b|\b(?:jours|semaines)\b.*\bdepuis\b)\s*(?<day>.+)$/iu
const between =
  /(?:days|weeks|tage|wochen|días|semanas|jours|semaines)\b.*\b(?:between|zwischen|entre)\b\s*(?<from>.+?)\s+(?:and|und|y|et)\s+(?<to>.+)$/iu
const fromNow =
  /(?<count>\d{1,6})\s*(?<unit>days?|weeks?|tagen?|wochen?|días?|semanas?|jours?|semaines?)\s*(?:(?:from|after|ab|nach|a partir de|après|à partir (?:de|du))\s*(?<day>.+)|(?:ago|später)\b)?/iu
const asksForDay =
  /\b(?:what (?:day|date)|which (?:day|date)|when is|welche[rs]? (?:tag|datum)|wann ist|qué (?:día|fecha)|quel(?:le)? (?:jour|date))\b|(?:\bwhen was|\bwann war|(?:^|\b(?:the|das|la) )(?:day|date|datum|fecha)(?: (?:was|is|war|era|fue|est|était))?) (?=(?:(?:in|vor|hace|dentro de|en|il y a|dans) )?\d)/iu

function readDates(text: string, reader: RequestContext): Calculation | null {
  // Runs of spaces and line breaks would slow down the patterns below.
  const sentence = text.replace(/\s+/gu, ' ').replace(/[?!.]+$/u, '')
  const isInWeeks = /\b(?:weeks|wochen|semanas|semaines)\b/i.test(sentence)
  const range = between.exec(sentence)?.groups
  if (range) {
    const [from, to] = [readDay(range.from ?? '', reader), readDay(range.to ?? '', reader)]
    return from && to ? { kind: 'days-between', from, to, isInWeeks } : null
  }
  const asksForCount = (match: RegExpExecArray | null) =>
    match !== null &&
    sentence.slice(0, match.index).split(' ').length <= MAX_OPENING_WORDS &&
    !/\b(?:off|taken|vacation)\b/iu.test(sentence)
  const untilMatch = until.exec(sentence)
  const untilDay = asksForCount(untilMatch) ? untilMatch?.groups?.day : undefined
  if (untilDay) {
    const to = readDay(untilDay, reader)
    if (to) return { kind: 'days-between', from: today(reader), to, isInWeeks }
  }
  const sinceMatch = since.exec(sentence)
  const sinceDay = asksForCount(sinceMatch) ? sinceMatch?.groups?.day : undefined
  if (sinceDay) {
    const from = readDay(sinceDay, reader, true)
    if (from) return { kind: 'days-between', from, to: today(reader), isInWeeks }
  }
  const plain = sentence.replace(openings, '')
  const isAlone =
    fromNow.exec(plain)?.index === 0 &&
    (/\bago$/iu.test(plain) || /\b(?:from|after|ab|nach|partir|après)\b/iu.test(plain))
  const shift = fromNow.exec(sentence)
  if (shift?.groups && (asksForDay.test(sentence) || isAlone)) {
    const from = shift.groups.day === undefined ? today(reader) : readDay(shift.groups.day, reader)
    const isWeeks = /^(?:week|woche|seman|semain)/i.test(shift.groups.unit ?? '')
    const isBack = /\b(?:ago|vor|hace|il y a)\b/iu.test(sentence)
    const days = Number(shift.groups.count) * (isWeeks ? 7 : 1) * (isBack ? -1 : 1)
    if (from) return { kind: 'day-at', from, days }
  }
  return null
}

/** Names of mathjs allowed in an expression besides units; with any other word, the text isn't an expression. */
const knownWords =
  /^(?:sqrt|cbrt|sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|exp|log|log2|log10|abs|round|floor|ceil|gcd|lcm|mod|max|min|mean|median|std|sum|factorial|combinations|permutations|isPrime|pi|e|i|tau|phi|deg|rad|to|in|x|y|z|n|a|b|t)$/

const unitWord =
  /^(?:deg[CFK]|[KMGT]?i?B|bits?|bytes?|[kcmμun]?m|mph|kph|km|miles?|yards?|yd|feet|foot|ft|inch(?:es)?|[kmμ]?g|grams?|kg|lbs?|oz|(?:fluid)?ounces?|tons?|tonnes?|stone|[mcd]?l|lit(?:er|re)s?|gallons?|quarts?|pints?|cups?|tablespoons?|teaspoons?|hours?|h|hr|minutes?|min|seconds?|s|ms|days?|weeks?|months?|years?|[kM]?W|watts?|[kM]?J|joules?|[kM]?Wh|calories?|cal|kcal|[kMG]?Hz|[kM]?Pa|bar|psi|atm|N|newtons?|V|volts?|A|amps?|acres?|hectares?|m2|cm2|km2|ft2|sqft|sqmi|m3|kelvin|K|degrees?|radians?|knots?|kilo(?:met(?:er|re)s?|grams?)|centimeters?|millimeters?|meters?|metres?|milliliters?|(?:kilo|mega|giga|tera)bytes?)$/

const unitAfterUnit = /(\d[\d.]*)\s*([a-z]+)\s+(\d[\d.]*)\s*([a-z]+)(?![a-z(])/giu
const numberAfterUnit = /\d\s*([a-z]+)\s+\d/iu

/** Replaces "1 h 30 min" with a sum; a text of that form whose words aren't units stays unchanged. */
function joinUnits(all: string, first: string, firstUnit: string, second: string, secondUnit: string): string {
  const areUnits = unitWord.test(firstUnit) && unitWord.test(secondUnit) && secondUnit !== 'in'
  return areUnits ? `(${first} ${firstUnit} + ${second} ${secondUnit})` : all
}

function readExpression(text: string, language: Language): Calculation | null {
  const question = text
    .replace(/[?=\s]+$/u, '')
    .replace(/(?<![\d)])!+$/u, '')
    .replace(/\s+(?:for|nach|para|pour)\s+[a-z]$/iu, '')
  const request = question.replace(openings, '')
  // Without a request, "drei und vier" is two numbers, not a sum.
  let expression = (request === question ? request : request.replace(/(?<!\p{L})und(?=\s*[-(\d])/giu, '+'))
    .replace(articles, '')
    .replace(/\.$/u, '')
    .replace(endings, '')
    .replace(/[$€£]\s?(?=\d)|(?<=\d)\s?[€$£]/gu, '')
    .trim()
  for (const [pattern, replacement] of verbs) expression = expression.replace(pattern, replacement)
  for (const [pattern, replacement] of conversions) {
    const read = expression
      .replace(pattern, replacement)
      .replace(/^half an? (?=\p{L})/iu, '0.5 ')
      .replace(/^(?=\p{L}.* to )/u, '1 ')
    if (pattern.test(expression)) {
      expression = volumes.test(read) ? read.replace(/\b(?:fluid )?ounces?\b/iu, 'fluidounce') : read
      break
    }
  }
  const percentageQuestion =
    /^([\d.,]+)\s+(?:is|are|sind|ist|son|es|font|est) (?:what|wie ?viel|qué|quel) (?:percent(?:age)?|prozent|porcentaje|por ciento|pourcentage|pour cent) (?:of|von|de) ([\d.,]+)$/iu.exec(
      text.replace(/[?\s]+$/u, ''),
    ) ??
    /^(?:what percent(?:age)? (?:is|of)|wie ?viel prozent (?:sind|ist)|qué porcentaje (?:es|son)|quel pourcentage (?:est|font)) ([\d.,]+) (?:of|is|von|de) ([\d.,]+)$/iu.exec(
      text.replace(/[?\s]+$/u, ''),
    )
  if (percentageQuestion?.[1] && percentageQuestion[2]) {
    const [part, whole] = [plainNumber(percentageQuestion[1], language), plainNumber(percentageQuestion[2], language)]
    return { kind: 'math', task: { kind: 'expression', expression: `${part} / ${whole} * 100` } }
  }
  const isInsideCall = /[a-z]\([^)]*,/i.test(expression)
  expression = expression.replace(groupedBySpaces, (number) => number.replace(/\s/gu, ''))
  expression = expression.replace(/\d[\d.,]*\d/g, (number) => (isInsideCall ? number : plainNumber(number, language)))
  expression = expression.replace(
    /([\d.]+)\s*(?:%|percent|prozent|por ciento|pour ?cent)\s*(?:of|von|del|de la|de|du|des)\s+/giu,
    '$1 / 100 * ',
  )
  expression = expression.replace(
    /^(increase|raise|decrease|reduce|lower|erhöhe|verringere|aumenta|reduce|augmente|diminue)\s+([\d.]+)\s+(?:by|um|en|un|de)\s+([\d.]+)\s*(?:%|percent|prozent)$/iu,
    (_all, verb: string, amount: string, percent: string) =>
      `${amount} ${/^(?:increase|raise|erhöhe|aumenta|augmente)/i.test(verb) ? '+' : '-'} ${percent}%`,
  )
  expression = expression.replace(discounts, '$2 - $1%')
  expression = expression.replace(/([\d.]+)\s*(?:percent|prozent|por ciento|pour ?cent)/giu, '$1%')
  for (const [pattern, sign] of [...units, ...operators]) expression = expression.replace(pattern, sign)
  expression = expression.replace(feetAndInches, '($1 ft + $2 inch)').replace(unitAfterUnit, joinUnits)
  // mathjs would multiply a number right after a unit, which is never meant.
  if (
    numberAfterUnit
      .exec(expression)
      ?.slice(1)
      .some((word) => unitWord.test(word))
  )
    return null
  expression = expression
    .replace(/\s+\^/g, '^')
    .replace(/\s+(?:in|into|en|a|nach|als|as)\s+(?=[a-zμ°]+(?:\s*\/\s*[a-z]+)?[\d^]*$)/iu, ' to ')
    .trim()

  const equation = /^([^=]+)=([^=]+)$/.exec(expression)
  const isKnown = (expression.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []).every(
    (word) => knownWords.test(word) || unitWord.test(word),
  )
  if (!isKnown || !/\d/.test(expression) || /[^\p{L}\p{N}\s.,+\-*/^%!()=[\]<>°]/u.test(expression)) return null
  if (equation?.[1] && equation[2]) {
    return /[a-z]/i.test(expression)
      ? { kind: 'math', task: { kind: 'equation', left: equation[1].trim(), right: equation[2].trim() } }
      : null
  }
  // A number alone, or a date, isn't a calculation.
  if (/^\d{4}-\d{1,2}-\d{1,2}$/.test(expression)) return null
  if (/^[\d\s.,:/-]+$/.test(expression) && !/\d\s*[-/*+]\s*\d|\d\s+[-]\s+\d/.test(expression)) return null
  if (!/[*/^%!(]|[^\s(][^(]*[+-]|\bto\b/.test(expression)) return null
  // "two to four", "5 6 + 3", "a 5 times 3"
  const target = /\bto\s+([a-z]*)/iu.exec(expression)
  if (target !== null && !unitWord.test(target[1] ?? '')) return null
  if (/\d\s+\d|\ba\s+\d|\d\s+a\s+[\p{L}\d]/u.test(expression)) return null
  if (target !== null && !/[a-z]/iu.test(expression.slice(0, target.index))) return null
  return { kind: 'math', task: { kind: 'expression', expression } }
}
