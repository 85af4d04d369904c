import { languages } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { plainText } from './reading.ts'

/** Day that a sentence asks about. */
export type RequestedDay =
  /** Days after today. */
  | { kind: 'offset'; days: number }
  /** 0 is Sunday; the next one, including today. */
  | { kind: 'weekday'; weekday: number }
  | { kind: 'date'; month: number; day: number; year: number | null }

/** A question about the weather. */
export interface WeatherQuestion {
  /** As written; null when none is named. */
  place: string | null
  day: RequestedDay | null
}

const MAX_CHARACTERS = 300

/** Pattern for whole words in any of the languages; `\b` only knows ASCII letters. */
const word = (pattern: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'giu')

/** Words that always mean the weather. */
const strongWords = word(
  [
    "weather(?:'s)?(?: forecast)?|forecast|umbrella|temperatures?(?= in )",
    'qu[eé] tiempo (?:hace|har[aá]|va a hacer|hay|habr[aá])(?! que(?!\\p{L})|(?<=(?:hay|habr[aá])) para (?!(?:salir|ir|pasear|correr|viajar) )\\p{L}+[aei]r(?!\\p{L}))|(?<=^|el )tiempo(?= en )|temperaturas?(?= en )|clima|pron[oó]stico(?: del tiempo)?|previsi[oó]n(?: del tiempo)?|llover[aá]?|lloviendo|llueve|nevar[aá]?|nevando|nieva|paraguas',
    "m[eé]t[eé]o|quel temps(?: fait-il| fera-t-il| il fait)?|(?:le )?temps qu'il (?:fait|fera)|(?<=^|le )temps(?= (?:à|a|au|aux) )|temp[eé]ratures?(?= (?:à|a|au|aux) )|pr[eé]visions?(?: m[eé]t[eé]o)?|pleuvoir|pleut|pleuvra|pleuvra-t-il|neiger|neigera|neige-t-il|pleut-il|parapluie",
    'wetter(?:bericht|vorhersage|prognose)?|regnet|regnen|schneit|schneien|regenschirm|temperatur(?= in )',
  ].join('|'),
)
/** Strong words with other meanings, such as a sales forecast or the climate in a company. */
const ambiguousWords = word(
  'forecast|umbrella|clima|pron[oó]stico|previsi[oó]n|paraguas|pr[eé]visions?|parapluie|regenschirm',
)
const umbrellas = word('umbrella|paraguas|parapluie|regenschirm')
/** Words for needing an umbrella; without them, a sentence is about the umbrella itself: "find the receipt for the umbrella". */
const needs = word(
  [
    'need(?:ed)?|take|bring|carry|(?:should|shall) (?:i|we) (?:pack|grab|use|have)',
    'necesit\\p{L}+|llev\\p{L}+|sac\\p{L}+|coger|cojo|(?:hace|har[aá]) falta',
    'faut|faudra(?:-t-il)?|faut-il|besoin|prendre|prends|prenne|emporter|emporte|sortir',
    'brauch\\p{L}*|mitnehmen|einpacken|nehmen|nehme|nötig|dabeihaben|einstecken',
  ].join('|'),
)
/** Words of other forecasts, climates and umbrellas. */
const otherForecasts = word(
  [
    'sales|revenues?|budget\\p{L}*|cash ?flow|econom\\p{L}+|financ\\p{L}+|earnings|demand|profits?|growth|markets?|insurance|policy|policies|company|business|projects?|quarter(?:ly)?|inflation|portfolio|staffing',
    'ventas?|econ[oó]m\\p{L}+|presupuest\\p{L}+|laboral(?:es)?|organizacional|empresa|ingresos|gastos|demanda|seguros?|tesorer[ií]a|m[eé]dic[oa]|mercado',
    'ventes?|tr[eé]sorerie|budg[eé]t\\p{L}*|[eé]conomi\\p{L}+|financi[eè]r\\p{L}*|recettes|d[eé]penses|assurances?|entreprise|march[eé]|croissance',
    'versicherung|umsatz|budgets?|firma',
  ].join('|'),
)
/** Words that mean the weather in a question with a place. */
const weakWords = word(
  [
    'rain(?:ing|y)?|snow(?:ing|y)?|sunny|cloudy|windy|foggy|storm(?:y)?|temperatures?|hot|cold|warm|degrees|sunshine|freezing',
    'lluvias?|nieve|temperaturas?|fr[ií]o|calor|soleado|nublado|viento|grados|sol',
    'pluie|neige|temp[eé]ratures?|froid|chaud|soleil|vent|degr[eé]s|(?<=(?:fai(?:t|re)|fera|-il|tr[eè]s|assez) )beau|beau(?= temps)',
    'regen|schnee|temperatur(?:en)?|kalt|warm|hei[ßs]+|sonnig|windig|bew[oö]lkt|grad|sonne|sturm',
  ].join('|'),
)
/** Words of sentences about the user's items, reminders, news or the past, which other agents answer. */
const otherMatters = word(
  'photos?|pictures?|images?|videos?|films?|files?|documents?|pdfs?|notes?|bilder|fotos?|dateien?|dokumente?|archivos?|documentos?|fichiers?|remind(?: me|er)?|recu[eé]rdame|rappelle(?:-moi)?|erinnere?|news|headlines|noticias|nouvelles|actualit[eé]s|nachrichten|yesterday|ayer|hier(?= )(?! in)|gestern|was|were|did|war|fue|[eé]tait' +
    // Temperatures indoors or in a kitchen, and announcements.
    '|living room|bedroom|kitchen|thermostats?|oven|fridge|computer|sensors?|things?|the ac|bak(?:e[ds]?|ing)|cook(?:ed|ing)?|fry(?:ing)?|roast(?:ed)?|microwave|spell(?:ed)?|e-?mail|facebook|twitter|instagram|tweets?|hashtags?|stock|announce|wohnzimmers?|schlafzimmers?|k[uü]che|b[uü]ro|ger[aä]te?|dinge|ofen|backen?|sal[oó]n|cocina|dormitorio|termostatos?|sensor(?:es)?|horno|cuisine|chambre|capteurs?|four|annonce[rz]?',
)

const weekdays: Record<string, number> = {}
const months: Record<string, number> = {}
for (const language of languages) {
  for (let index = 0; index < 7; index++) {
    // 4 January 1970 was a Sunday
    const day = new Date(Date.UTC(1970, 0, 4 + index))
    weekdays[plainText(new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(day))] = index
  }
  for (let index = 0; index < 12; index++) {
    const day = new Date(Date.UTC(1970, index, 15))
    months[plainText(new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(day))] = index + 1
  }
}
// Regional name of Saturday.
weekdays.sonnabend = 6

const oneOf = (names: Record<string, number>) =>
  Object.keys(names)
    .sort((a, b) => b.length - a.length)
    .join('|')

const comingBefore = '(?:(?:next|coming|proximo|kommende[ns]|nachste[ns]) )?'
const comingAfter = '(?: prochain| proximo| que viene)?'
const partsOfDay =
  'morning|afternoon|evening|night|por la (?:manana|tarde|noche)|matin|midi|apres-midi|soir|fruh|morgen|vormittag|mittag|nachmittag|abend|nacht'

type DayReader = (match: RegExpMatchArray) => RequestedDay | null
const offset =
  (days: number): DayReader =>
  () => ({ kind: 'offset', days })

/** Names of days in text without accents, longer ones first; a match is removed from the sentence. */
const dayPatterns: [RegExp, DayReader][] = [
  [word('(?:the )?day after tomorrow|pasado manana|apres[- ]demain|ubermorgen'), offset(2)],
  [
    word('(?:in|en|dans) (\\d{1,2}) (?:days?(?: time)?|dias|jours?|tagen?)'),
    (match) => ({ kind: 'offset', days: Number(match[1]) }),
  ],
  [
    word('(?:on |am |le |el )?(\\d{4})-(\\d\\d)-(\\d\\d)'),
    (match) => ({ kind: 'date', year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) }),
  ],
  [
    word(`(?:on |am |le |el )?(?:the )?(\\d{1,2})(?:st|nd|rd|th|er|\\.)? (?:de |of )?(${oneOf(months)})`),
    (match) => ({ kind: 'date', year: null, month: months[match[2] ?? ''] ?? 1, day: Number(match[1]) }),
  ],
  [
    word(`(?:on )?(${oneOf(months)}) (\\d{1,2})(?:st|nd|rd|th)?`),
    (match) => ({ kind: 'date', year: null, month: months[match[1] ?? ''] ?? 1, day: Number(match[2]) }),
  ],
  [
    word('(?:on |am |le |el )?(\\d{1,2})[./](\\d{1,2})(?:[./](\\d{4})|\\.)?'),
    (match) => {
      const [first, second] = [Number(match[1]), Number(match[2])]
      // 12/24 has the month first
      const [day, month] = second > 12 ? [second, first] : [first, second]
      const exists = month >= 1 && month <= 12 && day >= 1 && day <= 31
      return exists ? { kind: 'date', year: match[3] === undefined ? null : Number(match[3]), month, day } : null
    },
  ],
  [
    word(
      `(?:(?:on|over|at|this|the|am|an|en|el|este|ce|le|dieses|diesem) ){0,2}${comingBefore}(?:weekend|fin de semana|week-?end|wochenende)${comingAfter}`,
    ),
    () => ({ kind: 'weekday', weekday: 6 }),
  ],
  [
    word(
      `(?:(?:on|this|am|el|este|le|ce|diesen) )?${comingBefore}(${oneOf(weekdays)})${comingAfter}(?: ?(?:${partsOfDay}))?${comingAfter}`,
    ),
    (match) => ({ kind: 'weekday', weekday: weekdays[match[1] ?? ''] ?? 0 }),
  ],
  [
    word(
      "today|tonight|this (?:morning|afternoon|evening)|later today|hoy(?: por la (?:manana|tarde|noche))?|esta (?:tarde|noche|manana)|aujourd'hui|ce (?:soir|matin)|cet apres-midi|heute(?: abend| nachmittag| nacht| fruh| morgen| vormittag| mittag)?",
    ),
    offset(0),
  ],
  // "Guten Morgen", "am Morgen" and "por la mañana" are parts of the day.
  [word(`(?<!(?<!\\p{L})(?:guten|am|jeden|la) )(?:tomorrow|manana|demain|morgen)(?: (?:${partsOfDay}))?`), offset(1)],
]

/** Words that never belong to a place. */
/** Time from now, "in 2 hours". */
const inHours = '(?:in|en|dentro de|dans) (?:\\d{1,2}|\\p{L}{1,6}) (?:hours?|horas?|heures?|stunden?|minut\\p{L}+)'
const noise = word(
  "(?:(?:over|for|in|during) )?(?:the )?(?:next|coming) (?:(?:few|couple of|\\d{1,2}) )?(?:days|weeks?|hours)|(?:this|the|all|next) week|(?:(?:en|para|durante) )?los próximos (?:\\d{1,2} )?días|(?:(?:en|para|durante) )?(?:esta|la|la próxima|próxima) semana(?: próxima| que viene)?|(?:(?:dans|pour|pendant) )?les (?:\\d{1,2} )?prochains jours|(?:(?:pour|pendant) )?(?:cette|la) semaine(?: prochaine)?|(?:(?:in|für) )?(?:den |die )?(?:nächsten|kommenden) (?:(?:paar|\\d{1,2}) )?(?:tagen?|wochen?)|(?:in (?:der )?)?(?:diese|nächste|kommende)[rn]? woche|right now|at the moment|now|currently|please|like|outside|later|in the (?:morning|afternoon|evening)|at night|in (?:celsius|fahrenheit|degrees)|ahora(?: mismo)?|en este momento|por favor|(?:por|de|en) la (?:mañana|tarde|noche)|actualmente|en ce moment|maintenant|actuellement|s'il (?:te|vous) pla[iî]t|jetzt|gerade|aktuell|im moment|bitte|drau[ßs]+en|am (?:morgen|abend|nachmittag)" +
    // Times of day, since the weather is given for whole days.
    `|${inHours}` +
    "|(?:in |for )?(?:\\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten) (?:second|minute|hour|week|month|year)s? from now|(?:at|around|by|before|after) (?:midnight|noon|lunch ?time|tea ?time|meal ?time|dinner ?time|breakfast|\\d{1,2}(?::\\d\\d)? ?(?:[ap]\\.?m|o'clock))",
)
const placeOpenings =
  /(?<![\p{L}\p{N}])(?:in|at|for|near|around|en|para|cerca de|à|a|au|aux|dans|pour|sur|vers|für|fuer|bei|nach|im)\s+(?=\S)/iu
/** Prepositions that open a place only when the sentence has none of `placeOpenings`. */
const lateOpenings = /(?<![\p{L}\p{N}])(?:(?:de|du|des|of|von|vom)\s+|d')(?=\S)/iu
/** Words around a place without a preposition: "Lyon weather", "wie ist das Wetter Berlin". */
const fillers = word(
  "what(?:'s| is| will)?|how(?:'s| is| will)?|is|are|will|would|the|it|be|get|do|does|i|we|need|take|an?|there|show|me|tell|give|going|to|should|my|qu[eé]|c[oó]mo|cu[aá]l|es|est[aá]|hace|hay|har[aá]|habr[aá]|va|vamos|el|la|los|las|un|una|dime|necesito|se|quel(?:le)?|quels|quelles|est|sont|fait|fera|fait-il|fera-t-il|il|y|y-a-t-il|va-t-il|aura|t|le|les|une|des|donne|moi|donne-moi|dis-moi|ai|j'ai|besoin|faut|wie|was|ist|wird|werden|gibt|es|das|der|die|ein|einen|brauche|ich|zeige?|mir|sag|sein|fällt",
)

/** Words that remain after a place when the rest has been removed: "in Zürich einen (Regenschirm)". */
const trailing = /(?:\s+(?:einen?|ein|an?|una?|be|sein|werden|wird|es|it))+$/iu

const greeting =
  /^(?:guten (?:morgen|tag|abend)|good (?:morning|afternoon|evening)|hello|hi|hey|hallo|hola|buen[oa]s (?:d[ií]as|tardes|noches)|bonjour|bonsoir|salut)[ ,.]+(?=\S)/iu

/** Reads a sentence as a question about the weather, whether or not it is one. */
export function readWeatherQuestion(input: string): WeatherQuestion {
  const { rest, day } = cutDay(clean(input))
  return { place: placeOf(rest), day }
}

/** Confidence that a sentence asks about the weather, 0 to 1. */
export function weatherConfidence(input: string): number {
  const text = clean(input)
  if (text === '' || input.length > MAX_CHARACTERS) return 0
  const isStrong = text.search(strongWords) >= 0
  const isWeak = text.search(weakWords) >= 0
  if (!isStrong && !isWeak) return 0
  if (text.search(otherMatters) >= 0) return 0.2
  const { place } = readWeatherQuestion(input)
  const words = text.split(' ').length
  const rest = text.replace(ambiguousWords, ' ')
  const isAmbiguous = isStrong && rest.search(strongWords) === -1 && rest.search(weakWords) === -1
  const isUmbrella = isAmbiguous && text.replace(umbrellas, ' ').search(ambiguousWords) === -1
  // "an umbrella tomorrow?" opens with it.
  const opensWithIt = text.replace(/^(?:an?|ein(?:en)?|une?|une|un|el|le) /iu, '').search(umbrellas) === 0
  if (isUmbrella && text.search(needs) === -1 && !opensWithIt) return 0.2
  // "sales forecast for Q3"
  if (isAmbiguous && (text.search(otherForecasts) >= 0 || /\d/.test(place ?? ''))) return 0.2
  if (isStrong) return words <= 14 ? (place === null || isAmbiguous ? 0.85 : 0.93) : 0.5
  const isQuestion = /[?¿]|^(?:how|is|will|what|wie|wird|ist|hace|har[aá]|hay|fait|fera|va|quelle?)(?!\p{L})/iu.test(
    input.trim(),
  )
  return (place !== null || text.search(word(inHours)) >= 0) && isQuestion && words <= 14 ? 0.82 : 0.4
}

function clean(input: string): string {
  return cutText(input.normalize('NFC'), MAX_CHARACTERS)
    .replace(/[’‘]/g, "'")
    .replace(/[¿?¡!"“”„«»]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(greeting, '')
}

/** Splits a sentence into its day and the rest. */
function cutDay(text: string): { rest: string; day: RequestedDay | null } {
  for (const [pattern, read] of dayPatterns) {
    // Removing accents keeps the length, so positions are equal in both texts.
    const match = new RegExp(pattern.source, 'iu').exec(unaccented(text))
    if (match === null) continue
    const rest = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`
    return { rest: rest.replace(/\s+/g, ' ').trim(), day: read(match) }
  }
  return { rest: text, day: null }
}

function unaccented(text: string): string {
  return text
    .split('')
    .map((letter) => letter.normalize('NFD').charAt(0))
    .join('')
    .toLowerCase()
}

function placeOf(text: string): string | null {
  const strongMatch = new RegExp(strongWords.source, 'iu').exec(text)
  const withoutNoise = text.replace(noise, ' ').replace(/\s+/g, ' ').trim()
  const opening = placeOpenings.exec(withoutNoise) ?? lateOpenings.exec(withoutNoise)
  if (opening !== null) {
    let rest = trimmed(withoutNoise.slice(opening.index + opening[0].length).replace(strongWords, ' '))
    for (let next = placeOpenings.exec(rest); next?.index === 0; next = placeOpenings.exec(rest)) {
      rest = rest.slice(next[0].length)
    }
    const place = trimmed(rest.replace(/^(?:the|den|der|die)\s+/u, '').replace(trailing, ''))
    if (place !== '' && !isOnlyFillers(place)) return place
  }
  const name = trimmed(withoutNoise.replace(strongWords, ' ').replace(weakWords, ' ').replace(fillers, ' '))
  const isName = name !== '' && name.split(' ').length <= 4
  return isName && (strongMatch === null || /\p{L}{2}/u.test(name)) ? name : null
}

function isOnlyFillers(text: string): boolean {
  return trimmed(text.replace(fillers, ' ').replace(weakWords, ' ')) === ''
}

function trimmed(text: string): string {
  return cutText(text.replace(/\s+/g, ' ').replace(/^[\s,.;:-]+|[\s,.;:-]+$/g, ''), 100)
}
