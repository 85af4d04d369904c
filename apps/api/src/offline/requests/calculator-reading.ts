import type { Language } from '@mira/shared'
import type { MathTask } from '../math/math.ts'
import { type DateCalculation, readDates } from './calculator-dates.ts'
import { groupedBySpaces, plainNumber } from './calculator-numbers.ts'
import { readStatistics } from './calculator-statistics.ts'
import type { RequestContext } from './reading.ts'
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
  // "72 degrees in celsius": degrees alone would be an angle.
  [/(?<=\d)\s*(?:°|degrees?|grad|grados?|degrés?)(?=\s+(?:in|to|into|en|a|nach|als|as)\s+degC$)/giu, ' degF'],
  [/(?<=\d)\s*(?:°|degrees?|grad|grados?|degrés?)(?=\s+(?:in|to|into|en|a|nach|als|as)\s+degF$)/giu, ' degC'],
  [/(?<!\p{L})(?:kilometern?|kilometres?|kil[oó]metros?|kilomètres?)(?!\p{L})/giu, 'km'],
  [/(?<!\p{L})(?:zentimetern?|centimetres?|cent[ií]metros?|centimètres?)(?!\p{L})/giu, 'cm'],
  [/(?<!\p{L})(?:millimetern?|millimetres?|mil[ií]metros?|millimètres?)(?!\p{L})/giu, 'mm'],
  [/(?<!\p{L})(?:metern?|metros?|mètres?)(?!\p{L})/giu, 'm'],
  [/(?<!\p{L})(?:meilen?|millas?)(?!\p{L})/giu, 'miles'],
  [/(?<!\p{L})(?:fu(?:ß|ss)|pies?|pieds?)(?!\p{L})/giu, 'feet'],
  [/(?<!\p{L})(?:zoll|pulgadas?|pouces?)(?!\p{L})/giu, 'inch'],
  [/(?<!\p{L})(?:pfund|libras?|livres?|pounds?)(?!\p{L})/giu, 'lb'],
  [/(?<!\p{L})(?:unzen?|onzas?|onces?)(?!\p{L})/giu, 'oz'],
  [/(?<!\p{L})(?:kilos?|kilogramm|kilogramos?|kilogrammes?)(?!\p{L})/giu, 'kg'],
  [/(?<!\p{L})(?:gramm|gramos?|grammes?)(?!\p{L})/giu, 'g'],
  [/(?<!\p{L})(?:millilitern?|mililitros?|millilitres?)(?!\p{L})/giu, 'ml'],
  [/(?<!\p{L})(?:litern?|litros?|litres?)(?!\p{L})/giu, 'l'],
  [/(?<!\p{L})(?:stunden?|horas?|heures?)(?!\p{L})/giu, 'hours'],
  // min(…) is a function.
  [/(?<!\p{L})(?:minuten|minutos?)(?!\p{L})|\bmins?\b(?!\s*\()/giu, 'minutes'],
  [/(?<!\p{L})(?:sekunden?|segundos?|secondes?)(?!\p{L})/giu, 'seconds'],
  [/(?<!\p{L})(?:tagen?|días?|jours?)(?!\p{L})/giu, 'days'],
  [/(?<!\p{L})(?:wochen?|semanas?|semaines?)(?!\p{L})/giu, 'weeks'],
]

/** Pounds of 500 g, as in German and French kitchens, and the end of a sentence that converts them. */
const metricPounds: Partial<Record<Language, readonly [RegExp, RegExp]>> = {
  de: [/(\d+(?:\.\d+)?) ?pfund(?!\p{L})/giu, / (?:in|als|nach) (?:kilo(?:gramm|s)?|kg|gramm|g)$/iu],
  fr: [/(\d+(?:\.\d+)?) ?livres?(?!\p{L})/giu, / (?:en|à) (?:kilo(?:grammes?|s)?|kg|grammes?|g)$/iu],
}

/** Calculation requested by a sentence. */
export type Calculation =
  | { kind: 'math'; task: MathTask; figure?: NonNullable<ReturnType<typeof readStatistics>>['figure'] }
  | DateCalculation

const MAX_CHARACTERS = 20_000
const MAX_SENTENCE_CHARACTERS = 400

/** Reads a sentence or an expression as a calculation; null when it isn't one. */
export function readCalculation(input: string, reader: RequestContext): Calculation | null {
  const text = input
    // The Swiss group digits with apostrophes.
    .replace(/(?<=\d)['’](?=\d{3}(?!\d))/gu, '')
    // Phones type curly quotes.
    .replace(/[’‘]/gu, "'")
    .replace(/[”“]/gu, '"')
    .replace(/^[\s¿¡]+/u, '')
    .trim()
  if (text === '' || text.length > MAX_CHARACTERS) return null
  if (text.length > MAX_SENTENCE_CHARACTERS) return /\d/.test(text) ? readStatistics(text, reader.language) : null
  const spoken = withDigits(text, reader.language)
  const opensCalculation =
    /\d|until|till|since|bis|seit|hasta|desde|jusqu|depuis|avant|before|how many|\b(?:to|into|between|para)\b/iu
  if (!opensCalculation.test(spoken)) return null
  return (
    readStatistics(spoken, reader.language) ??
    readDates(spoken, openings, reader) ??
    readExpression(spoken, reader.language)
  )
}

/** Names of mathjs allowed in an expression besides units; with any other word, the text isn't an expression. */
const knownWords =
  /^(?:sqrt|cbrt|sin|cos|tan|asin|acos|atan|sinh|cosh|tanh|exp|log|log2|log10|abs|round|floor|ceil|gcd|lcm|mod|max|min|mean|median|std|sum|factorial|combinations|permutations|isPrime|pi|e|i|tau|phi|deg|rad|to|in|x|y|z|n|a|b|t)$/

/** Functions whose names are also words: "what does 10-4 mean". */
const spokenFunction = /\b(?:mean|median|sum|std|max)\b(?!\s*\()/iu

const unitWord =
  /^(?:deg[CFK]|[KMGT]?i?B|bits?|bytes?|[kcmμun]?m|mph|kph|km|miles?|yards?|yd|feet|foot|ft|inch(?:es)?|[kmμ]?g|grams?|kg|lbs?|oz|(?:fluid)?ounces?|tons?|tonnes?|stone|[mcd]?l|lit(?:er|re)s?|gallons?|quarts?|pints?|cups?|tablespoons?|teaspoons?|hours?|h|hr|minutes?|min|seconds?|s|ms|days?|weeks?|months?|years?|[kM]?W|watts?|[kM]?J|joules?|[kM]?Wh|calories?|cal|kcal|[kMG]?Hz|[kM]?Pa|bar|psi|atm|N|newtons?|V|volts?|A|amps?|acres?|hectares?|m2|cm2|km2|ft2|sqft|sqmi|m3|kelvin|K|degrees?|radians?|knots?|kilo(?:met(?:er|re)s?|grams?)|centimeters?|millimeters?|meters?|metres?|milliliters?|(?:kilo|mega|giga|tera)bytes?)$/

const unitAfterUnit = /(\d[\d.]*)\s*([a-z]+)\s+(\d[\d.]*)\s*([a-z]+)(?![a-z(])/giu
const numberAfterUnit = /\d\s*([a-z]+)\s+\d/iu

/** Replaces "1 h 30 min" with a sum; a text of that form whose words aren't units stays unchanged. */
function joinUnits(all: string, first: string, firstUnit: string, second: string, secondUnit: string): string {
  const areUnits = unitWord.test(firstUnit) && unitWord.test(secondUnit) && secondUnit !== 'in'
  return areUnits ? `(${first} ${firstUnit} + ${second} ${secondUnit})` : all
}

/** Texts of digits and signs that name something, such as dates and telephone numbers. */
const names: readonly RegExp[] = [
  // "24/12/2026", "20-11-2026", "2026-11-20"
  /^(?:(?:0?[1-9]|[12]\d|3[01])([/-])(?:0?[1-9]|1[0-2])\1|(?:0?[1-9]|1[0-2])([/-])(?:0?[1-9]|[12]\d|3[01])\2)(?:\d\d|\d{4})$/u,
  /^(?:19|20)\d\d([/-])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])$/u,
  // "2019-2021"
  /^(?:19|20)\d\d[-/](?:19|20)\d\d$/u,
  // "541-754-3010", "(541) 754-3010", "1-800-555-0199", "555-1234"
  /^(?:\+?\d{1,3}[- ])?(?:\(\d{3}\) ?|\d{3}[- ])?\d{3}-\d{4}$/u,
  // "+49 176-1234567", "0176-12345678", "030/123456"
  /^(?=(?:\D*\d){7})\+\d{1,3}(?:[- /]?\(?\d{1,5}\)?)?(?:[- /]\d{2,})+$/u,
  /^\(?0\d+\)?(?:[-/ ]\d+)+$/u,
  // "978-3-16-148410-0"
  /^97[89]-\d{1,5}-\d{1,7}-\d{1,7}-\d$/u,
]

function readExpression(text: string, language: Language): Calculation | null {
  const question = text
    .replace(/[?=\s]+$/u, '')
    .replace(/(?<![\d)])!+$/u, '')
    .replace(/\s+(?:for|nach|para|pour)\s+[a-z]$/iu, '')
  const request = question.replace(openings, '')
  if (!text.trimEnd().endsWith('=') && names.some((name) => name.test(request))) return null
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
  const pound = metricPounds[language]
  if (pound?.[1].test(expression)) expression = expression.replace(pound[0], '($1 * 500 g)')
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
  if (
    !isKnown ||
    spokenFunction.test(expression) ||
    !/\d/.test(expression) ||
    /[^\p{L}\p{N}\s.,+\-*/^%!()=[\]<>°]/u.test(expression)
  )
    return null
  if (equation?.[1] && equation[2]) {
    return /[a-z]/i.test(expression)
      ? { kind: 'math', task: { kind: 'equation', left: equation[1].trim(), right: equation[2].trim() } }
      : null
  }
  // A number alone isn't a calculation.
  if (/^[\d\s.,:/-]+$/.test(expression) && !/\d\s*[-/*+]\s*\d|\d\s+[-]\s+\d/.test(expression)) return null
  if (!/[*/^%!(]|[^\s(][^(]*[+-]|\bto\b/.test(expression)) return null
  // "two to four", "5 6 + 3", "a 5 times 3"
  const target = /\bto\s+([a-z]*)/iu.exec(expression)
  if (target !== null && !unitWord.test(target[1] ?? '')) return null
  if (/\d\s+\d|\ba\s+\d|\d\s+a\s+[\p{L}\d]/u.test(expression)) return null
  if (target !== null && !/[a-z]/iu.test(expression.slice(0, target.index))) return null
  return { kind: 'math', task: { kind: 'expression', expression } }
}
