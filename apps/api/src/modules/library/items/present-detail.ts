import type { MediaDetail, MediaItem } from '@mira/shared'
import type { DetailMoment, DetailPart, FoundDetail } from './detail.store.ts'
import { readWaveform } from './present.ts'

type Chapter = MediaDetail['chapters'][number]

/** Shorter films and recordings are one chapter, and so have none. */
const MIN_SECONDS = 240
/** Usual and shortest length of a chapter. */
const USUAL_SECONDS = 300
const SHORTEST_SECONDS = 60
const MAX_CHAPTERS = 60
/** Stretch compared on each side of a possible chapter start. */
const WINDOW_SECONDS = 120
/** Words shorter than this join sentences and tell nothing of them. */
const MIN_LETTERS = 4
/** Places that are judged, so that a film of days takes no longer than one of hours. */
const MAX_PLACES = 600
/** A rest of so many seconds speaks as much for a new chapter as entirely other words do. */
const LONG_REST_SECONDS = 6
/** Weight of a visible change, relative to an audible one. */
const SEEN_WEIGHT = 0.4
const TITLE_CHARACTERS = 90

/** A text with its time, and the words in it. */
interface TimedMoment {
  kind: Chapter['from']
  start: number
  end: number
  body: string
  frameNumber: number | null
  words: string[]
}

/**
 * The chapters of a film or recording, out of what was found in it: one ends where other words begin to be said, where a rest
 * is, and where something else is seen or stands on the screen. Its title is the text of a moment, as it was found.
 */
export function chaptersOf(moments: DetailMoment[], parts: DetailPart[], durationSeconds: number | null): Chapter[] {
  const named = moments.filter(isChapterTitle)
  if (named.length > 1) return named.map((detailMoment) => namedChapter(detailMoment, parts))
  if (durationSeconds === null || durationSeconds < MIN_SECONDS) return []
  const timedMoments = moments.flatMap(asTimedMoments).sort((one, other) => one.start - other.start)
  if (timedMoments.length === 0) return []
  const starts = [0, ...chooseStarts(timedMoments, durationSeconds)].sort((one, other) => one - other)
  const frames = parts.filter(({ kind, startSeconds }) => kind === 'frame' && startSeconds !== null)
  const chapters = starts.flatMap((start, index): Chapter[] => {
    const end = starts[index + 1] ?? durationSeconds
    const title = titleOf(
      timedMoments.filter((timedMoment) => timedMoment.start >= start - 0.001 && timedMoment.start < end),
    )
    if (title === null) return []
    const frame = frames.find(({ startSeconds }) => (startSeconds ?? 0) >= start - 1 && (startSeconds ?? 0) < end)
    return [{ start, end, ...title, frame_number: title.frame_number ?? frame?.number ?? null }]
  })
  // without a match, the previous chapter continues
  return chapters.length < 2
    ? []
    : chapters.map((chapter, n) => ({ ...chapter, end: chapters[n + 1]?.start ?? durationSeconds }))
}

/** Titles that the file itself has: they are not of a frame. */
function isChapterTitle({ kind, startSeconds, frameNumber }: DetailMoment): boolean {
  return kind === 'text' && startSeconds !== null && frameNumber === null
}

function namedChapter({ startSeconds, endSeconds, body }: DetailMoment, parts: DetailPart[]): Chapter {
  const start = startSeconds ?? 0
  const frame = parts.findLast((part) => part.kind === 'frame' && (part.startSeconds ?? 0) <= start + 1)
  return { start, end: endSeconds ?? start, title: body, from: 'text', frame_number: frame?.number ?? null }
}

function asTimedMoments({ kind, startSeconds, endSeconds, frameNumber, body }: DetailMoment): TimedMoment[] {
  if (kind === 'name' || startSeconds === null || body.trim() === '') return []
  const words = body.toLowerCase().match(/\p{L}+/gu) ?? []
  return [
    {
      kind,
      start: startSeconds,
      end: Math.max(startSeconds, endSeconds ?? startSeconds),
      body,
      frameNumber,
      words: words.filter(({ length }) => length >= MIN_LETTERS),
    },
  ]
}

/** Starts of all chapters but the first: the best-scored texts, far enough apart. */
function chooseStarts(timedMoments: TimedMoment[], durationSeconds: number): number[] {
  const borderCount = Math.min(MAX_CHAPTERS, Math.max(2, Math.round(durationSeconds / USUAL_SECONDS))) - 1
  const apart = Math.max(SHORTEST_SECONDS, durationSeconds / (borderCount + 1) / 3)
  const chosenStarts: number[] = []
  for (const { start } of judged(timedMoments).sort(
    (one, other) => other.score - one.score || one.start - other.start,
  )) {
    if (chosenStarts.length === borderCount) break
    const isNearEnd = start < apart || start > durationSeconds - SHORTEST_SECONDS / 2
    if (!isNearEnd && chosenStarts.every((chosenStart) => Math.abs(chosenStart - start) >= apart))
      chosenStarts.push(start)
  }
  return chosenStarts
}

/** Score of each text as a chapter start. */
function judged(timedMoments: TimedMoment[]): { start: number; score: number }[] {
  const step = Math.max(1, Math.ceil(timedMoments.length / MAX_PLACES))
  let heardUntil = 0
  const places: { start: number; score: number }[] = []
  for (const [n, one] of timedMoments.entries()) {
    const rest = one.kind === 'speech' ? Math.max(0, one.start - heardUntil) : 0
    if (one.kind === 'speech') heardUntil = Math.max(heardUntil, one.end)
    // of very many only some are judged, and every one after a rest
    if (n === 0 || (n % step !== 0 && rest < LONG_REST_SECONDS / 2)) continue
    const [before, after] = [wordsNear(timedMoments, n, -1), wordsNear(timedMoments, n, 1)]
    if (after.size === 0) continue
    const pictureWeight = one.kind === 'speech' ? 0 : SEEN_WEIGHT
    places.push({
      start: one.start,
      score: 1 - likeness(before, after) + Math.min(1, rest / LONG_REST_SECONDS) + pictureWeight,
    })
  }
  return places
}

/** Word counts of the texts on one side of a position. */
function wordsNear(timedMoments: TimedMoment[], place: number, direction: 1 | -1): Map<string, number> {
  const from = timedMoments[place]?.start ?? 0
  const counts = new Map<string, number>()
  for (let n = direction === 1 ? place : place - 1; n >= 0 && n < timedMoments.length; n += direction) {
    const one = timedMoments[n]
    if (one === undefined || Math.abs(one.start - from) > WINDOW_SECONDS) break
    for (const word of one.words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

/** The cosine of the angle between two counts of words. */
function likeness(one: Map<string, number>, other: Map<string, number>): number {
  const length = (counts: Map<string, number>) => Math.hypot(...counts.values())
  const both = length(one) * length(other)
  if (both === 0) return 0
  let product = 0
  for (const [word, count] of one) product += count * (other.get(word) ?? 0)
  return product / both
}

/** Chapter title: text on the screen, else a caption, else the first speech. */
function titleOf(timedMoments: TimedMoment[]): Pick<Chapter, 'title' | 'from' | 'frame_number'> | null {
  const first = (kind: TimedMoment['kind']) =>
    timedMoments.find((timedMoment) => timedMoment.kind === kind && timedMoment.words.length > 0)
  const [text, caption, speech] = [first('text'), first('caption'), first('speech')]
  const isHeading = text !== undefined && text.body.length <= TITLE_CHARACTERS
  const best = (isHeading ? text : undefined) ?? caption ?? speech ?? text
  return best === undefined ? null : { title: shortened(best.body), from: best.kind, frame_number: best.frameNumber }
}

function shortened(body: string): string {
  const text = body.replaceAll(/\s+/gu, ' ').trim()
  if (text.length <= TITLE_CHARACTERS) return text
  const sentence = /^.{12,90}?[.!?…](?=\s)/u.exec(text)?.[0]
  if (sentence !== undefined) return sentence
  const cut = text.slice(0, TITLE_CHARACTERS)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), TITLE_CHARACTERS / 2)).trimEnd()}…`
}

/** An item with all that was found in it, as the contract says it; `address` makes a signed path of a file of the item. */
export function presentDetail(
  item: MediaItem,
  { moments, parts, waveform, pageTitles, sourceGoneAt }: FoundDetail,
  suggestedTags: string[],
  address: (file: string) => string,
): MediaDetail {
  const ofKind = (kind: DetailMoment['kind']) => moments.filter((moment) => moment.kind === kind)
  const texts = ofKind('text')
  const captions = ofKind('caption')
  const frameTexts = Map.groupBy(texts, ({ frameNumber }) => frameNumber)
  const frameCaptions = new Map(captions.map(({ frameNumber, body }) => [frameNumber, body]))
  const engines = Map.groupBy(moments, ({ engine }) => engine)
  return {
    ...item,
    segments: ofKind('speech').map(({ id, startSeconds, endSeconds, body, isLocked }) => ({
      id,
      start: startSeconds ?? 0,
      end: endSeconds ?? startSeconds ?? 0,
      text: body,
      is_locked: isLocked,
    })),
    frames: parts
      .filter(({ kind }) => kind === 'frame')
      .map(({ number, startSeconds }) => ({
        frame_number: number,
        timestamp_seconds: startSeconds ?? 0,
        thumbnail: address(`frames/${number}`),
        caption: frameCaptions.get(number) ?? null,
        extracted_text:
          frameTexts
            .get(number)
            ?.map(({ body }) => body)
            .join('\n') ?? null,
      })),
    chapters: chaptersOf(moments, parts, item.duration),
    pages: presentPages(texts, { parts, pageTitles }, address),
    words: parts.find(({ kind }) => kind === 'picture')?.words ?? [],
    waveform: readWaveform(waveform),
    locked: [
      ...(captions.some(isLockedWhole) ? (['caption'] as const) : []),
      ...(texts.some(isLockedWhole) ? (['extracted_text'] as const) : []),
    ],
    suggested_tags: suggestedTags,
    source_gone_at: sourceGoneAt,
    moments_by_engine: Object.fromEntries([...engines].map(([engine, ofEngine]) => [engine, ofEngine.length])),
  }
}

function isLockedWhole({ isLocked, frameNumber, page }: DetailMoment): boolean {
  return isLocked && frameNumber === null && page === null
}

function presentPages(
  texts: DetailMoment[],
  { parts, pageTitles }: Pick<FoundDetail, 'parts' | 'pageTitles'>,
  address: (file: string) => string,
): MediaDetail['pages'] {
  const byPage = Map.groupBy(texts, ({ page }) => page)
  const pages = new Map(parts.filter(({ kind }) => kind === 'page').map((part) => [part.number, part]))
  // a sheet without a word has its name
  const named = pageTitles.map((_, index) => index + 1)
  const numbers = new Set([...pages.keys(), ...named, ...[...byPage.keys()].filter((page) => page !== null)])
  return [...numbers]
    .sort((one, other) => one - other)
    .map((page) => {
      const passages = byPage.get(page) ?? []
      const picture = pages.get(page)
      return {
        page,
        title: pageTitles[page - 1] || null,
        text: joinPassages(passages),
        thumbnail: picture ? address(`pages/${page}`) : null,
        width: picture?.width ?? null,
        height: picture?.height ?? null,
        is_locked: passages.some(({ isLocked }) => isLocked),
      }
    })
}

/** Passages part a text; where the blanks between two were left out, there is a line between them. */
function joinPassages(passages: DetailMoment[]): string {
  const [first] = passages
  if (first === undefined) return ''
  const start = first.characterOffset ?? 0
  let text = ''
  for (const { body, characterOffset } of passages) {
    const isApart = text !== '' && (characterOffset === null || characterOffset - start > text.length)
    text += isApart ? `\n${body}` : body
  }
  return text.trim() === '' ? '' : text
}
