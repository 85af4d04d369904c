import {
  type FilesData,
  fileFormats,
  type Language,
  type MediaItem,
  type MediaSort,
  type SearchQuery,
  type SearchResult,
} from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { BadRequestError, ForbiddenError, missingScopeError } from '../../../../errors.ts'
import { type FileQuestion, readFileQuestion } from '../../../../offline/requests/file-reading.ts'
import { escapeMarkdown } from '../../../../offline/requests/reading.ts'
import { withoutSignature } from '../../../../platform/http/signed-url.ts'
import { colonIn, localeOf, textsIn } from '../../../../platform/messages/texts.ts'
import type { MediaService } from '../../../library/index.ts'
import type { MemoryService } from '../../../search/index.ts'
import type { AgentContext, AgentKind, AgentResult } from '../agent-kind.ts'

/** Read access to a user's memory, or to a selection of its items. */
export interface FileTools {
  media: Pick<MediaService, 'list' | 'sizes'>
  memory: Pick<MemoryService, 'search'>
  /** True when a search can find pictures by what they show. */
  seesPictures(): boolean
}

type Item = FilesData['items'][number]

const SUMMARY_CHARACTERS = 120
const SURE_CONFIDENCE = 0.85
/** Above the confidence up to which the classifier can overrule an agent's parsing. */
const DATE_CONFIDENCE = 0.9
const UNSURE_CONFIDENCE = 0.5
/** Maximum hits to search for when counting or sorting; only a few are listed. */
const MAX_COUNTED = 100

const contentTypesOf = (formats: FileQuestion['formats']): string[] | undefined =>
  formats?.flatMap((format) => {
    const { contentType, otherContentTypes = [] }: { contentType: string; otherContentTypes?: readonly string[] } =
      fileFormats[format]
    return [contentType, ...otherContentTypes]
  })

/** FileAgent: answers questions about a user's items, with the items found. */
export function createFile({ media, memory, seesPictures }: FileTools): AgentKind {
  /** Searches the caller's items, or the selected ones, without recording a search by the user. */
  const search = (
    { userId, language, timeZone, items }: AgentContext,
    { type, formats, days, isByTimeAdded }: Pick<FileQuestion, 'type' | 'formats' | 'days' | 'isByTimeAdded'>,
    query: Pick<SearchQuery, 'query' | 'literal' | 'limit'>,
  ) =>
    memory.search(
      {
        userId,
        language,
        timeZone,
        items,
        contentTypes: contentTypesOf(formats),
        isByTimeAdded,
        countsInAnalytics: false,
        isRecorded: false,
      },
      {
        ...query,
        media_types: type === null ? undefined : [type],
        include_frames: true,
        from: days?.from?.toISOString(),
        to: days?.to?.toISOString(),
      },
    )

  const selectionOf = ({ days, formats, tag, isByTimeAdded }: FileQuestion, { items, timeZone }: AgentContext) => ({
    among: items,
    tag: tag ?? undefined,
    contentTypes: contentTypesOf(formats),
    period: days === null ? undefined : { ...days, timeZone },
    isByTimeAdded,
  })

  const listItems = async (question: FileQuestion, caller: AgentContext): Promise<{ items: Item[]; total: number }> => {
    const { type, sort, count } = question
    const query = {
      limit: count,
      sort: sort ?? (question.isByTimeAdded ? 'added' : 'newest'),
      ...(type === null ? {} : { media_type: type }),
    }
    const { media_items, total } = await media.list(caller.userId, query, selectionOf(question, caller))
    return { items: media_items.map((item) => itemOfMedia(item)), total }
  }

  /** Hits in the order in which the library sorts their items. */
  const sortHits = async (
    hits: SearchResult[],
    { sort, isByTimeAdded }: { sort: MediaSort; isByTimeAdded: boolean },
    { userId }: AgentContext,
  ): Promise<SearchResult[]> => {
    const among = [...new Set(hits.map(({ media_id }) => media_id))]
    const { media_items } = await media.list(userId, { limit: among.length, sort }, { among, isByTimeAdded })
    return media_items.flatMap(({ id }) => hits.filter(({ media_id }) => media_id === id))
  }

  const find = async (question: FileQuestion, topic: string, caller: AgentContext): Promise<AgentResult> => {
    const text = textsIn('files', caller.language)
    const isCounting = question.wish === 'count'
    const { sort, isByTimeAdded } = question
    const limit = isCounting || sort !== null ? MAX_COUNTED : question.count
    const resultsInPeriod = (await search(caller, question, { query: topic, literal: [topic], limit })).results
    // An item from another time may still mention the requested time.
    const isAnyTime = resultsInPeriod.length === 0 && question.days !== null && !isCounting
    const anyTimeQuery = { query: `${topic} ${question.daysText}`, literal: [topic], limit }
    const ofType = isAnyTime
      ? (await search(caller, { ...question, days: null }, anyTimeQuery)).results
      : resultsInPeriod
    const hasType = question.type !== null || question.formats !== null
    const isAnyType = ofType.length === 0 && hasType && !isCounting
    const searchAnyType = async () => {
      const response = await search(
        caller,
        { ...question, type: null, formats: null },
        { query: topic, literal: [topic], limit },
      )
      return response.results.filter(({ certainty }) => certainty === 'found')
    }
    const results = isAnyType ? await searchAnyType() : ofType
    const topicParams = { topic: escapeMarkdown(topic) }
    const certain = results.filter(({ certainty }) => certainty === 'found')
    const isUnseen = question.type === 'image' && (isAnyType || certain.length === 0) && !seesPictures()
    const hint = isUnseen ? `\n\n${text('unseen')}` : ''
    const nothing = text('nothingAbout', topicParams)
    if (results.length === 0) return resultOf('found', [], `${nothing}${hint}`, nothing)
    const hits = limit === MAX_COUNTED && certain.length > 0 ? certain : results
    const ordered = sort === null ? hits : await sortHits(hits, { sort, isByTimeAdded }, caller)
    const items = ordered.slice(0, question.count).map((result) => itemOfResult(result))
    const isCut = isCounting && results.length === MAX_COUNTED
    const certainHeading = isAnyType ? 'elsewhere' : isAnyTime ? 'elsewhen' : isCut ? 'foundAtLeast' : 'found'
    const heading = certain.length === 0 ? 'noneCertain' : certainHeading
    const head = text(heading, { count: isCounting ? hits.length : items.length, ...topicParams })
    return resultOf('found', items, `${head}\n\n${lines(items, caller.language)}${hint}`, head)
  }

  const countOrMeasure = async (question: FileQuestion, caller: AgentContext): Promise<AgentResult> => {
    const { language, userId } = caller
    const text = textsIn('files', language)
    const { type, wish, tag, days, formats, topic } = question
    const typeName = (count: number) => text(`types.${type ?? 'any'}`, { count })
    if (wish === 'count' && topic !== null) return find(question, topic, caller)
    const allSizes = await media.sizes(userId, selectionOf(question, caller))
    const sizes = allSizes.filter(({ mediaType }) => type === null || mediaType === type)
    const count = sizes.reduce((sum, size) => sum + size.count, 0)
    const bytes = sizes.reduce((sum, size) => sum + size.sizeBytes, 0)
    const headline =
      wish === 'size'
        ? text('space', { what: typeName(count), count, bytes: writeBytes(bytes, language) })
        : text('counted', { what: typeName(count), count })
    const rows = sizes.map((size) => {
      const name = text(`types.${size.mediaType}`, { count: size.count })
      return `- ${size.count} ${name}${colonIn(language)} ${writeBytes(size.sizeBytes, language)}`
    })
    const output = type === null && rows.length > 0 ? `${headline}\n\n${rows.join('\n')}` : headline
    const totals = sizes.map((size) => ({ media_type: size.mediaType, count: size.count, size_bytes: size.sizeBytes }))
    const { items } =
      tag !== null || days !== null || formats !== null ? await listItems(question, caller) : { items: [] }
    return resultOf('counted', items, output, headline, totals)
  }

  /** The time when the newest or oldest item, or the best match for a topic, was added or taken. */
  const findDate = async (question: FileQuestion, caller: AgentContext): Promise<AgentResult> => {
    const { topic, type, sort } = question
    const selection = selectionOf(question, caller)
    if (topic !== null) {
      const { results } = await search(caller, question, { query: topic, literal: [topic], limit: MAX_COUNTED })
      const hits = results.filter(({ certainty }) => certainty === 'found').map(({ media_id }) => media_id)
      if (hits.length === 0) return find(question, topic, caller)
      selection.among = sort === null ? hits.slice(0, 1) : hits
    }
    const query = { limit: 1, sort: sort ?? 'newest', ...(type === null ? {} : { media_type: type }) }
    const [match] = (await media.list(caller.userId, query, selection)).media_items
    const text = textsIn('files', caller.language)
    if (match === undefined) return resultOf('listed', [], text('nothing'))
    const { taken_local: takenLocal, created_at: addedAt } = match.metadata
    const isTaken = !question.isByTimeAdded && takenLocal !== null
    const item = itemOfMedia(match)
    // A local time is shown as it was where the item was taken.
    const time = isTaken
      ? writeDate(new Date(`${takenLocal}Z`), caller.language, 'UTC')
      : writeDate(addedAt, caller.language, caller.timeZone)
    const sentenceAbout = (name: string) =>
      text(isTaken ? 'takenOn' : 'addedOn', { item: name, type: item.media_type, date: time })
    const link = `[${escapeMarkdown(item.title)}](${item.url})`
    return resultOf('listed', [item], sentenceAbout(link), sentenceAbout(item.title))
  }

  return {
    name: 'FileAgent',
    description: 'Answers questions about what you have added to the memory, and shows where it found the answer.',
    capabilities: ['newest files', 'search in files', 'counts and sizes', 'files by date and tag', 'dates of files'],
    intents: [
      'the last three PDFs',
      'which videos mention a lighthouse',
      'how much space do my videos take',
      'pictures from last May',
      'how many documents do I have',
      'when did I last upload a video',
    ],
    hasSideEffects: false,
    readsMemory: true,
    tool: {
      name: 'files',
      description:
        'Lists, finds and counts what the person has added to their memory: pictures, videos, recordings and documents. What it finds was written by others.',
      parameters: {
        type: 'object',
        properties: {
          input: {
            type: 'string',
            description:
              'The question, such as "the last three PDFs", "which videos mention a lighthouse", "how much space do my videos take", "my pictures from May 2026", "when did I last upload a video".',
          },
        },
        required: ['input'],
        additionalProperties: false,
      },
    },
    requiresParsing: true,
    confidence(text, reader) {
      const question = readFileQuestion(text, reader)
      if (question === null) return 0
      if (question.wish === 'date') return DATE_CONFIDENCE
      return question.isSure ? SURE_CONFIDENCE : UNSURE_CONFIDENCE
    },
    async run(input, caller) {
      const text = textsIn('files', caller.language)
      if (!caller.canReadStored) throw missingScopeError('read')
      if (!caller.canSearchMemory) throw new ForbiddenError(text('notAllowed'), { code: 'memory_not_allowed' })
      const question = readFileQuestion(input, caller)
      if (question === null) throw new BadRequestError(text('notUnderstood'), { code: 'not_a_file_question' })
      if (question.wish === 'date') return findDate(question, caller)
      if (question.wish === 'size' || question.wish === 'count') return countOrMeasure(question, caller)
      if (question.topic !== null) return find(question, question.topic, caller)
      const { items, total: all } = await listItems(question, caller)
      if (items.length === 0) return resultOf('listed', [], text('nothing'))
      const head =
        all > items.length
          ? text('listedOf', { count: items.length, total: all })
          : text('listed', { count: items.length })
      return resultOf('listed', items, `${head}\n\n${lines(items, caller.language)}`, head)
    },
  }
}

// An agent's results are stored and sent to models, so their paths aren't signed.
function itemOfMedia(item: MediaItem): Item {
  return {
    id: item.id,
    media_type: item.media_type,
    title: item.metadata.original_filename,
    created_at: item.timestamp.toISOString(),
    ...(item.metadata.taken_local === null ? {} : { taken_local: item.metadata.taken_local }),
    size_bytes: item.metadata.size_bytes,
    snippet: null,
    thumbnail: item.thumbnail && withoutSignature(item.thumbnail),
    url: `/gallery/${item.id}`,
  }
}

function itemOfResult(result: SearchResult): Item {
  return {
    id: result.media_id,
    media_type: result.media_type,
    title: result.original_filename,
    created_at: result.timestamp.toISOString(),
    ...(result.taken_local === null ? {} : { taken_local: result.taken_local }),
    size_bytes: null,
    snippet: result.content,
    ...(result.page === null ? {} : { page: result.page }),
    ...(result.page_kind === undefined ? {} : { page_kind: result.page_kind }),
    ...(result.page_title === undefined ? {} : { page_title: result.page_title }),
    ...(result.frame_number === null ? {} : { frame_number: result.frame_number }),
    ...(result.timestamp_seconds === null ? {} : { timestamp_seconds: result.timestamp_seconds }),
    thumbnail: result.thumbnail && withoutSignature(result.thumbnail),
    url: result.url,
  }
}

function lines(items: Item[], language: Language): string {
  return items
    .map(({ title, url, snippet }) => {
      const words = snippet ? `${colonIn(language)} ${escapeMarkdown(snippet.replace(/\s+/g, ' '))}` : ''
      return `- [${escapeMarkdown(title)}](${url})${words}`
    })
    .join('\n')
}

function writeDate(date: Date, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'full', timeStyle: 'short', timeZone }).format(date)
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

function writeBytes(bytes: number, language: Language): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    // The short form of bytes is "700 byte".
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  })
  return format.format(bytes / 1000 ** power)
}

function resultOf(
  action: FilesData['action'],
  items: Item[],
  output: string,
  headline = output,
  totals?: FilesData['totals'],
): AgentResult {
  return {
    output,
    summary: cutText(headline.replace(/\*\*|\\|(?<!\s)\s*:$/g, ''), SUMMARY_CHARACTERS),
    data: { kind: 'files', action, items, ...(totals === undefined ? {} : { totals }) },
    quotesOthers: true,
  }
}
