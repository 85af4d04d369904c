import type { MediaSort, MediaType } from '@mira/shared'
import { DateTime } from 'luxon'
import { guessLanguage } from '../language/language.ts'
import { joinedTimes, readTimes, type TimePhrase } from '../phrases/times.ts'
import type { RequestContext } from './reading.ts'

/** Words for each type in all four languages; `null` is any. A more exact word comes first. */
const typeWords: readonly [MediaType | null, RegExp][] = [
  ['document', /(?<!\p{L})(?:pdfs?|documents?|documentos?|dokumenten?|dokumente?)(?!\p{L})/iu],
  [
    'audio',
    /(?<!\p{L})(?:audios?|recordings?|songs?|music|grabaci[oó]n(?:es)?|canci[oó]n(?:es)?|música|enregistrements?|chansons?|musique|tonaufnahmen?|lieder|musik)(?!\p{L})/iu,
  ],
  ['video', /(?<!\p{L})(?:videos?|vídeos?|vidéos?|films?|filmen?|filme|movies?|clips?|películas?)(?!\p{L})/iu],
  [
    'image',
    /(?<!\p{L})(?:pictures?|photos?|images?|pics|screenshots?|fotos?|imagen|imágenes|bildern?|bilder|bild)(?!\p{L})/iu,
  ],
  [
    null,
    /(?<!\p{L})(?:files?|items?|uploads?|uploaded|memory|archivos?|ficheros?|elementos?|sub[íi]|subid[oa]s?|memoria|fichiers?|éléments?|ajoutée?s?|importée?s?|mémoire|dateien?|hochgeladene?[nrs]?|gedächtnis)(?!\p{L})/iu,
  ],
]

/** Phrases for size, count and search questions. */
const wishWords: Readonly<Record<'size' | 'count' | 'find', RegExp>> = {
  size: /how much (?:space|storage|room)|take up|\bsize of\b|cuánto (?:espacio|ocupan?|pesan?)|combien (?:d['’]espace|de place|pèsent)|wie ?viel (?:platz|speicher)/iu,
  count: /\bhow many\b|\bcount\b|cuánt[oa]s|combien (?:de|d['’])(?! ?(?:place|espace))|wie ?viele/iu,
  find: /(?<!\p{L})(?:mention(?:s|ing|ed)?|about|contain(?:s|ing)?|that say|talk(?:s|ing)? about|showing|shows?(?= (?:an? |the ))|mencionan?|hablan? de|sobre|contienen?|donde sale|mentionnent?|parlent? (?:de|d['’])|contiennent|contient|erwähnen|erwähnt|enthalten|enthält|handeln von|handelt von|über|zeigen)(?!\p{L})/iu,
}

/** Openings of a search request, followed by its topic. */
const seekWords: RegExp =
  /^\s*(?:please\s+|por favor,?\s+|bitte\s+)?(?:find|search(?:\s+for)?|look\s+for|where\s+(?:is|are)|busca(?:r|me)?|encuentra|dónde\s+est[áa]n?|¿dónde\s+est[áa]n?|(?:re)?cherche[rz]?|trouve[rz]?|où\s+(?:est|sont)|finde|such(?:e|en)?(?:\s+nach)?|wo\s+(?:ist|sind))\s+(?:me\s+|mir\s+|moi\s+)?/iu

/** Words between a type of item and its content: "pictures of a dog". */
const ofWords: RegExp =
  /^\s*(?:of|with|from|about|showing|mentioning|de|del|con|sobre|d['’]|avec|sur|von|vom|mit|über)(?!\p{L})\s*/iu

const listWords: RegExp =
  /(?<!\p{L})(?:last|latest|newest|recent|most recent|oldest|first|largest|biggest|longest|show|list|which|what|últim[oa]s?|recientes?|antigu[oa]s|grandes|muestra|muéstrame|lista|cuáles|qué|derniers?|dernières?|récente?s?|anciens?|montre|affiche|liste|quels?|quelles?|letzten?|neuesten?|ältesten?|größten?|zeige?|welche)(?!\p{L})/iu
const ownWords: RegExp = /(?<!\p{L})(?:my|mine|mis?|mes|mon|ma|meine?[rn]?|i have|tengo|ai-je|habe ich)(?!\p{L})/iu

const sortWords: readonly [MediaSort, RegExp][] = [
  ['oldest', /(?<!\p{L})(?:oldest|first|más antigu|primer|plus ancien|premi|ältest|erste)/iu],
  ['largest', /(?<!\p{L})(?:largest|biggest|más grandes|plus gro|größt)/iu],
  ['longest', /(?<!\p{L})(?:longest|más larg|plus long|längst)/iu],
]

const numberWords: readonly RegExp[] = [
  /(?<!\p{L})(?:one|un[oa]?|une?|eine?[nrs]?)(?!\p{L})/iu,
  /(?<!\p{L})(?:two|dos|deux|zwei)(?!\p{L})/iu,
  /(?<!\p{L})(?:three|tres|trois|drei)(?!\p{L})/iu,
  /(?<!\p{L})(?:four|cuatro|quatre|vier)(?!\p{L})/iu,
  /(?<!\p{L})(?:five|cinco|cinq|fünf)(?!\p{L})/iu,
  /(?<!\p{L})(?:six|seis|sechs)(?!\p{L})/iu,
  /(?<!\p{L})(?:seven|siete|sept|sieben)(?!\p{L})/iu,
  /(?<!\p{L})(?:eight|ocho|huit|acht)(?!\p{L})/iu,
  /(?<!\p{L})(?:nine|nueve|neuf|neun)(?!\p{L})/iu,
  /(?<!\p{L})(?:ten|diez|dix|zehn)(?!\p{L})/iu,
]

const tagPattern: RegExp =
  /(?:tagged|with (?:the )?tag|etiquetad[oa]s (?:como|con)|con la etiqueta|étiquetée?s|avec l['’]étiquette|mit (?:dem )?(?:tag|schlagwort))\s+["“«„']?([^"”»“'?.!]{1,50})/iu

/** A question about a user's items. */
export interface FileQuestion {
  wish: 'size' | 'count' | 'find' | 'list'
  /** Null for any. */
  type: MediaType | null
  /** True when it names its subject: pictures, files, the memory. */
  isNamed: boolean
  /** Only PDFs are meant. */
  isPdf: boolean
  topic: string | null
  tag: string | null
  /** The first moment, and the first one after it. */
  days: { from: Date; to: Date } | null
  sort: MediaSort
  count: number
  /** True when it refers to the user's own items. */
  isOwn: boolean
}

const USUAL_COUNT = 10
const MAX_COUNT = 20
const LONGEST_CHARACTERS = 500

/** Reads a question about a person's things; null when it is not one. */
export function readFileQuestion(text: string, reader: RequestContext): FileQuestion | null {
  if (text.length > LONGEST_CHARACTERS) return null
  const typed = typeWords.find(([, pattern]) => pattern.test(text))
  const sought = seekWords.exec(text)
  if (typed === undefined && sought === null) return null
  const tag = tagPattern.exec(text)?.[1]?.trim() ?? null
  const here = DateTime.fromJSDate(reader.now, { zone: reader.timeZone })
  const times = readTimes(text, here, guessLanguage(text) ?? reader.language).filter(({ isVague }) => !isVague)
  const days = daysOf(times, text, here)
  const timeless = times.reduce(
    (rest, { begin, end }) => rest.slice(0, begin) + ' '.repeat(end - begin) + rest.slice(end),
    text,
  )
  const isCounting = wishWords.count.test(text)
  const topic = tag === null ? readTopic(timeless, { sought, isCounting, type: typed?.[1] }) : null
  const isAsking = listWords.test(text) || ownWords.test(text) || sought !== null
  const wish = wishWords.size.test(text)
    ? 'size'
    : isCounting
      ? 'count'
      : topic
        ? 'find'
        : typed !== undefined && (isAsking || tag !== null || days !== null)
          ? 'list'
          : null
  if (wish === null) return null
  return {
    wish,
    tag,
    type: typed?.[0] ?? null,
    isNamed: typed !== undefined,
    isPdf: /\bpdfs?\b/iu.test(text),
    topic: topic || null,
    days,
    sort: sortWords.find(([, pattern]) => pattern.test(text))?.[0] ?? 'newest',
    count: readCount(timeless),
    isOwn: ownWords.test(text),
  }
}

/** Search topic; null when items are only listed, counted or measured. */
function readTopic(
  text: string,
  { sought, isCounting, type }: { sought: RegExpExecArray | null; isCounting: boolean; type: RegExp | undefined },
): string | null {
  const match = wishWords.find.exec(text)
  if (match) return topicAfter(text.slice(match.index + match[0].length))
  if (sought === null && !isCounting) return null
  const rest = text.slice(sought?.[0].length ?? 0)
  const typeMatch = type?.exec(rest)
  if (!typeMatch) return sought === null ? null : topicAfter(rest)
  // "find pictures of a dog", but not "find my last pictures"
  const after = rest.slice(typeMatch.index + typeMatch[0].length)
  const of = ofWords.exec(after)
  return of === null ? null : topicAfter(after.slice(of[0].length))
}

/** End of a question after its topic, when it asks how many there are. */
const countEndings =
  / (?:(?:do|have) (?:i|we)(?: have)?|(?:i|we) have|are there|tengo|tenemos|hay|ai-je|avons-nous|y a-t-il|habe ich|haben wir|gibt es)$/iu

function topicAfter(text: string): string {
  const rest = text.replace(/\s+/gu, ' ').trim()
  return rest
    .replace(/ ?[?.!]+$/u, '')
    .replace(countEndings, '')
    .replace(
      /^(?:an?|the|some|my|una?|el|la|los|las|de|d['’]|une?|le|les|l['’]|du|des|eine?[nrms]?|de[nrm]|die|das)\s+/iu,
      '',
    )
    .replace(/^["“«„']|["”»“']$/gu, '')
    .trim()
}

function readCount(text: string): number {
  const digits = /(?<![\d.:/-])(\d{1,2})(?![\d.:/-]|\p{L})/u.exec(text)?.[1]
  const count =
    digits === undefined
      ? numberWords.findIndex((pattern, index) => index > 0 && pattern.test(text)) + 1
      : Number(digits)
  if (count > 0) return Math.min(MAX_COUNT, count)
  // "the last picture", but not "the last pictures"
  return /(?<!\p{L})(?:last|latest|newest|oldest|largest|biggest) (?:picture|photo|image|video|film|recording|document|pdf|file)(?!\p{L})/iu.test(
    text,
  )
    ? 1
    : USUAL_COUNT
}

const [FIRST_YEAR, LAST_YEAR] = [1, 9999]

/** The days of all times together, else of a year that stands alone. */
function daysOf(times: TimePhrase[], text: string, { zone }: DateTime): FileQuestion['days'] {
  const joined = joinedTimes(times)
  const year = Number(/(?<!\d)((?:19|20)\d\d)(?!\d)/u.exec(text)?.[1] ?? 0)
  if (joined === null && year === 0) return null
  const beginOf = (of: number) => DateTime.fromObject({ year: of }, { zone })
  const { from, to } = joined ?? { from: beginOf(year), to: beginOf(year + 1) }
  return { from: (from ?? beginOf(FIRST_YEAR)).toJSDate(), to: (to ?? beginOf(LAST_YEAR)).toJSDate() }
}
