import { type Language, languages } from '@mira/shared'
import { isoDayIn } from '../../platform/lib/time-zone-offset.ts'
import { localeOf, textsIn } from '../../platform/messages/texts.ts'
import { plainWords } from '../language/language.ts'
import type { RequestContext } from '../requests/reading.ts'

/** Words of questions about the time, the date or a time zone, without accents. */
interface ClockWords {
  /** Phrases that are first replaced with one of the words below. */
  phrases: [RegExp, string][]
  time: string
  date: string
  zone: string
  /** Words that ask or request. Without any of them, and without a place, "this year" isn't a question. */
  asking: string
  /** Words for the past, which need a day such as yesterday. */
  past: string
  /** Number of days after today by word, such as -1 for yesterday. */
  days: ReadonlyMap<string, number>
  /** Words before a place. */
  openings: string
  /** Words that may precede a place or an event: they only count in a complete question about the time. */
  optionalOpenings: string
  /** Other words of such questions. Any further word is a place, or makes it a different question. */
  fillers: string
  /** Questions with the same words about an event, or about a place with several time zones. */
  excluded: RegExp
  /** Questions that can only be about the time, so that an unknown place is worth reporting. */
  definite: RegExp
}

const clockWords: Record<Language, ClockWords> = {
  en: {
    phrases: [
      [/\btime ?zone\b/, 'timezone'],
      [/\bdo you know\b/, 'know'],
      [/\bdo you have the time$/, 'what time'],
      [/\bis this$/, 'is it'],
      [/\bthis moment\b/, 'now'],
      [/\b(?:standard|daylight) (?=time)/, ''],
      [/\bcalendar (?=date|day)/, ''],
    ],
    asking:
      'what whats which tell give show say know please now current currently exact exactly today todays local actual',
    past: 'was were',
    ...{ time: 'time', date: 'date day weekday month year', zone: 'timezone' },
    days: new Map(Object.entries({ tomorrow: 1, yesterday: -1 })),
    openings: 'in',
    optionalOpenings: 'at for of',
    fillers:
      's is are am will would the it a an we i you me us can could does let get want need like be to right present complete information full there here hey hi ok okay so and just by moment around over week located reside use uses',
    excluded:
      /\b(?:time|date|day|weekday|month|year) (?:(?:will|can|could|would|should) (?:we|you|i)|(?:do|did) (?:we|you|i)(?! have)|like)\b|\bbe (?:here|there|over)\b|\bover(?! (?:there|here|in)\b)|\b(?:at|for|of|from|by) (?:what|which)\b|\bin (?:the )?us$/,
    definite: /\bwhat time (?:it is|is it)\b|\bwhat(?: ?s| is) the (?:\w+ )?time in\b/,
  },
  de: {
    phrases: [
      [/\bwie ?viel uhr\b/, 'welche uhr'],
      [/\bwie spat (?:ist|es|wir)\b/, 'welche uhr'],
    ],
    asking:
      'wie was welche welcher welches welchen welchem wievielte wievielten sag sage sagen nenne nennen gib zeig zeige weißt wissen bitte jetzt gerade aktuell aktuelle aktuellen genaue genauen heute heutige heutigen heutiges',
    past: 'war waren',
    ...{ time: 'uhr uhrzeit zeit', date: 'datum kalenderdatum tag wochentag monat jahr wievielte wievielten' },
    zone: 'zeitzone',
    days: new Map(Object.entries({ morgen: 1, ubermorgen: 2, gestern: -1, vorgestern: -2 })),
    openings: 'in auf im',
    optionalOpenings: 'fur von bei',
    fillers:
      'ist es ein eine der die das den dem wir uns haben befinden hat sind wird mir kannst konntest wurdest konnen konnten wurden du sie ich mochte derzeit gegenwartig gegenwartige momentan laufenden genau muss mit komplette vollstandiges vollstandige denn eigentlich hier dort und liegt gilt',
    excluded:
      /\b(?:uhr|uhrzeit|zeit|datum|tag|wochentag|monat|jahr) (?:kann|konn\w+|wird|wurde\w*|mochte|muss|soll\w*|will|woll\w+) (?:wir|du|sie|ich)\b|\bwie (?:ist|war|wird) (?:der|das) (?:tag|monat|jahr)\b|\b(?:von|fur|bei|aus|ab|bis|seit) (?:was|welche\w*)\b/,
    definite: /\buhr (?:ist )?(?:es )?(?:\w+ )?in\b/,
  },
  es: {
    phrases: [
      [/\bzona horaria\b/, 'zona'],
      [/\ba cuantos estamos\b/, 'que fecha'],
    ],
    asking: 'que cual dime di digas diga dame decir decirme darme favor saber sabes hoy ahora mismo actual exacta',
    past: 'fue era',
    ...{ time: 'hora', date: 'fecha dia mes ano', zone: 'zona' },
    days: new Map(Object.entries({ manana: 1, ayer: -1 })),
    openings: 'en',
    optionalOpenings: '',
    fillers:
      'es son la el los las a de del una sera tienes tiene me te puedes puede podrias podria por estamos estan semana y aqui alli alla ahi quisiera quiero necesito gustaria momento este local tienen esta usa',
    excluded:
      /\b(?:hora|fecha|dia|mes|ano) (?:me |te )?(?:quiero|quisiera|necesito|puedes?|podrias?)\b|\b(?:de|para|desde|hasta) (?:que|cual)\b/,
    definite: /\bque hora es en\b/,
  },
  fr: {
    phrases: [
      [/\bfuseau horaire\b/, 'fuseau'],
      [/\b(?:est|sommes nous) le combien\b/, 'quelle date'],
      [/\btout de suite\b/, 'maintenant'],
    ],
    asking:
      'quelle quel dis dites dire donne donnez donner sais savez savoir plait svp maintenant actuellement actuelle actuel exacte aujourd',
    past: 'etait',
    ...{ time: 'heure', date: 'date jour mois annee', zone: 'fuseau' },
    days: new Map(Object.entries({ demain: 1, hier: -1 })),
    openings: 'a au aux en dans',
    optionalOpenings: '',
    fillers:
      'est il l la le les d de du des on nous sommes sera c ce que qu tu vous as avez t s te peux peut pouvez pourrais pourriez moi me hui moment ici bas je veux voudrais semaine et y locale',
    excluded:
      /\b(?:heure|date|jour|mois|annee) (?:que |est ce que )?(?:(?:je|tu|on|nous|vous) )?(?:veux|voudrais|peux|peut|pouvez|pourrais|pourriez)\b|\b(?:de|d|pour|depuis) quel(?:le)?\b/,
    definite: /\bheure (?:est |il )*(?:a|au|aux|en)\b/,
  },
}

const dayNames: Record<number, 'dayBeforeYesterday' | 'yesterday' | 'today' | 'tomorrow' | 'dayAfterTomorrow'> = {
  ...{ [-2]: 'dayBeforeYesterday', [-1]: 'yesterday', 0: 'today', 1: 'tomorrow', 2: 'dayAfterTomorrow' },
}

/** Longer messages ask for something else. */
const MAX_WORDS = 16
const ARTICLES = new Set('the la el los las le les l der die das den dem'.split(' '))
const POSSESSIVES = new Set(
  'my our your mi mis mon ma mes notre mein meine meinem meiner meinen unserem unserer'.split(' '),
)
const CONJUNCTIONS = new Set('and or und oder y o et ou'.split(' '))
/** Words within names of places, which questions contain, too. */
const JOINING_WORDS = new Set([...ARTICLES, ...CONJUNCTIONS, ...'of de del du des d l von'.split(' ')])
/** "¿A qué hora?" and "à quelle heure ?" ask when something happens. */
const ASKS_WHEN = /\ba (?:que hora|quelle heure)\b/

/** Answer to a question about the time, the day or a time zone; null for every other message. */
export function tellTime(message: string, { language, timeZone, now }: RequestContext): string | null {
  const { phrases, time, date, zone, asking, past, days, openings, optionalOpenings, fillers, excluded, definite } =
    clockWords[language]
  const plain = phrases.reduce((text, [pattern, word]) => text.replace(pattern, word), plainWords(message).join(' '))
  const words = plain.split(' ').filter((word) => word !== '')
  // "Jour" or "time" alone is a search; "18 Uhr in London" and "14/07/1989" ask about another time than now
  if (/^\W*\p{L}+\W*$/u.test(message) || /\d/.test(message) || words.length > MAX_WORDS || ASKS_WHEN.test(plain))
    return null
  if (excluded.test(plain)) return null
  const has = (list: string) => words.some((word) => list.split(' ').includes(word))
  const isAboutTime = has(time) || has(zone)
  if (!isAboutTime && !has(date)) return null
  if (has(past) && !words.some((word) => (days.get(word) ?? 0) < 0)) return null

  const known = new Set(
    `${time} ${date} ${zone} ${asking} ${past} ${openings} ${optionalOpenings} ${fillers}`.split(' '),
  )
  const rest = words.filter((word) => !known.has(word))
  const text = textsIn('builtin', language)
  const day = days.get(rest[0] ?? '')
  const format = (style: Intl.DateTimeFormatOptions, time = now, where = timeZone) =>
    new Intl.DateTimeFormat(localeOf(language), { ...style, timeZone: where }).format(time)
  if (rest.length === 0 || (rest.length === 1 && day !== undefined && !isAboutTime)) {
    if (!has(asking)) return null
    if (has(zone)) return text('timeZone', { zone: zoneName(timeZone, now, language) })
    if (isAboutTime) return text('clock', { time: format({ timeStyle: 'short' }), date: format({ dateStyle: 'full' }) })
    // A calendar day, since days with a clock change don't have 24 hours.
    const noon = new Date(`${isoDayIn(timeZone, now)}T12:00:00Z`)
    noon.setUTCDate(noon.getUTCDate() + (day ?? 0))
    const fullDate = format({ dateStyle: 'full' }, noon, 'UTC')
    return text(`days.${dayNames[day ?? 0] ?? 'today'}`, { date: fullDate })
  }
  if (!isAboutTime) return null
  const begin = words.indexOf(rest[0] ?? '')
  const before = words.slice(0, begin).findLast((word) => !ARTICLES.has(word)) ?? ''
  // "in London", "London time", "what time is it for London"
  const isPlace =
    openings.split(' ').includes(before) ||
    has(zone) ||
    words[begin + 1] === time ||
    (optionalOpenings.split(' ').includes(before) && definite.test(plain))
  if (!isPlace) return null
  const namedZone = zoneOf(rest.join(' '), language, known)
  const placeZone = namedZone ?? zoneInRegion(rest, language, known)
  // "London and Tokyo", but "Trinidad and Tobago"
  const isOfTwo = words.slice(begin, words.lastIndexOf(rest.at(-1) ?? '')).some((word) => CONJUNCTIONS.has(word))
  if (namedZone === null && isOfTwo) return null
  // "in the video" and "in my calendar" aren't places
  const isName = words[begin - 1] === before && !POSSESSIVES.has(rest[0] ?? '')
  if (placeZone === null && !(isName && definite.test(plain))) return null
  const place = writtenPlace(message, rest)
  if (placeZone === null) return text('clockUnknown', { place, time: format({ timeStyle: 'short' }) })
  return text('clockIn', {
    place,
    time: format({ timeStyle: 'short' }, now, placeZone),
    date: format({ dateStyle: 'full' }, now, placeZone),
    zone: zoneName(placeZone, now, language),
  })
}

/** Name of a place as written, with accents, capitals, commas and words such as "and". */
function writtenPlace(message: string, words: string[]): string {
  const plainOf = (word: string) => plainWords(word)[0] ?? ''
  const all = [...message.matchAll(/[\p{L}\p{M}]+/gu)]
  const isOfPlace = ([word]: RegExpExecArray) => words.includes(plainOf(word))
  const [begin, end] = [all.findIndex(isOfPlace), all.findLastIndex(isOfPlace)]
  const [first, last] = [all[begin], all[end]]
  if (first === undefined || last === undefined) return words.join(' ')
  const name = message.slice(first.index, last.index + last[0].length)
  const isName =
    /^[\p{L}\p{M}\s,.'’-]+$/u.test(name) &&
    all.slice(begin, end).every((match) => isOfPlace(match) || JOINING_WORDS.has(plainOf(match[0])))
  // "in Tokyo right now, in Japan"
  const joined = () => all.flatMap((match) => (isOfPlace(match) ? match[0] : [])).join(' ')
  return isName ? name.replace(/\s+/g, ' ') : joined()
}

function zoneName(timeZone: string, now: Date, language: Language): string {
  const format = new Intl.DateTimeFormat(localeOf(language), { timeZone, timeZoneName: 'long' })
  return format.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/** Names of large places without a time zone of their name, and translated names of cities; without accents. */
const otherNames: Record<string, string> = {
  'Africa/Cairo': 'kairo|le caire|el cairo',
  'America/Chicago':
    'central|dallas|houston|austin|new orleans|texas|cst|illinois|minnesota|wisconsin|missouri|louisiana|oklahoma|iowa|alabama|arkansas',
  'America/Denver': 'mountain|salt lake city|colorado|utah|new mexico|mst',
  'America/Los_Angeles':
    'pacific|california|kalifornien|californie|san francisco|san diego|las vegas|seattle|washington state|portland|oregon|nevada|la|pst',
  'America/New_York':
    'eastern|nueva york|new york city|washington|washington dc|ohio|pennsylvania|massachusetts|new jersey|virginia|boston|miami|atlanta|philadelphia|florida|est|nyc',
  'America/Phoenix': 'arizona',
  'America/Sao_Paulo': 'rio|rio de janeiro|brasilia',
  'America/Toronto': 'montreal|ottawa',
  'Asia/Dubai': 'abu dhabi',
  'Asia/Kolkata': 'mumbai|delhi|new delhi|neu delhi|nueva delhi|bangalore|chennai|kalkutta|ist',
  'Asia/Seoul': 'seul',
  'Asia/Shanghai': 'beijing|peking|pekin|china|chine',
  'Asia/Tokyo': 'tokio|osaka|kyoto',
  'Australia/Sydney': 'canberra',
  'Europe/Athens': 'athen|athenes|atenas',
  'Europe/Berlin': 'munich|munchen|hamburg|frankfurt|cologne|koln|mez|cet',
  'Europe/Brussels': 'brussel|bruxelles|bruselas',
  'Europe/Istanbul': 'estambul',
  'Europe/Lisbon': 'portugal|lissabon|lisbonne|lisboa',
  'Europe/London':
    'londres|britain|great britain|england|angleterre|inglaterra|scotland|schottland|edinburgh|manchester|uk',
  'Europe/Madrid': 'spain|spanien|espagne|espana|barcelona|barcelone|sevilla|seville|valencia|cordoba|granada|merida',
  'Europe/Moscow': 'moskau|moscou|moscu',
  'Europe/Paris': 'lyon|marseille|vincennes',
  'Europe/Rome': 'rom|roma|milan|mailand|milano',
  'Europe/Vienna': 'wien|vienne|viena',
  'Europe/Warsaw': 'warschau|varsovie|varsovia',
  'Europe/Zurich': 'geneva|genf|geneve|ginebra|bern|basel',
  'Pacific/Honolulu': 'hawaii|hawai',
  UTC: 'utc|gmt|universal',
}

/** Cities of time zones whose names mostly mean something else: people, holidays, things or larger cities. */
const AMBIGUOUS_CITIES = new Set(
  'Beulah Casey Center Christmas Creston Davis Easter Knox Marengo Monticello New_Salem Palmer Petersburg Tell_City Troll Vevay Vincennes Winamac'.split(
    ' ',
  ),
)

/** Time zones of cities and codes of countries, by name without accents. */
interface Places {
  zones: Map<string, string>
  countries: Map<string, string>
}
const placesByLanguage = new Map<Language, Places>()

/** Time zone of a city or of a country with a single time zone, or the one with this name; null when unknown. */
function zoneOf(place: string, language: Language, dropped: ReadonlySet<string>): string | null {
  const { zones, countries } = placesOf(language, dropped)
  const country = countries.get(place)
  const [zone, ...others] = country === undefined ? [] : zonesOfCountry(country)
  return (others.length === 0 ? zone : undefined) ?? zones.get(place) ?? null
}

/** Time zone of a city followed by its country or state: "Adelaide, Australia", but not "London, Ontario". */
function zoneInRegion(words: string[], language: Language, dropped: ReadonlySet<string>): string | null {
  const { zones, countries } = placesOf(language, dropped)
  for (let cut = 1; cut < words.length; cut++) {
    const city = zones.get(words.slice(0, cut).join(' '))
    const region = words.slice(cut).join(' ')
    const country = countries.get(region)
    const clocks = country === undefined ? [clockOf(zones.get(region))] : zonesOfCountry(country).map(clockOf)
    if (city !== undefined && clocks.includes(clockOf(city))) return city
  }
  return null
}

function placesOf(language: Language, dropped: ReadonlySet<string>): Places {
  const places = placesByLanguage.get(language) ?? collectPlaces(language, dropped)
  placesByLanguage.set(language, places)
  return places
}

function collectPlaces(language: Language, dropped: ReadonlySet<string>): Places {
  const strip = (name: string) =>
    plainWords(name)
      .filter((word) => !dropped.has(word))
      .join(' ')
  const zones = new Map<string, string>()
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const city = zone.split('/').at(-1) ?? ''
    if (!AMBIGUOUS_CITIES.has(city)) zones.set(strip(city.replaceAll('_', ' ')), zone)
  }
  const countries = new Map<string, string>()
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  for (const nameLanguage of new Set<Language>([language, ...languages])) {
    const names = new Intl.DisplayNames(nameLanguage, { type: 'region', fallback: 'none' })
    for (const country of letters.flatMap((first) => letters.map((second) => first + second)))
      countries.set(strip(names.of(country) ?? ''), country)
  }
  countries.set('usa', 'US')
  for (const [zone, names] of Object.entries(otherNames)) {
    for (const name of names.split('|').map(strip)) {
      zones.set(name, zone)
      countries.delete(name)
    }
  }
  zones.delete('')
  countries.delete('')
  return { zones, countries }
}

/** Time zones of a country, without those that show the same time. */
function zonesOfCountry(country: string): string[] {
  const region = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones?(): string[] | undefined }
  const zones = region.getTimeZones?.() ?? []
  return [...new Map(zones.map((zone) => [clockOf(zone), zone])).values()]
}

/** Current time in a zone; null for no zone. */
function clockOf(timeZone: string | undefined): string | null {
  return timeZone === undefined ? null : new Date().toLocaleString('en', { timeZone })
}
