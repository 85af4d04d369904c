import type { MediaDetail, MediaItem } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { DetailMoment, DetailPart, ItemDetail } from './detail.store.ts'
import { readWaveform } from './present.ts'

type Chapter = MediaDetail['chapters'][number]

/** Shorter videos and recordings have no chapters. */
const MIN_DURATION_SECONDS = 240
/** Usual and minimum length of a chapter. */
const USUAL_CHAPTER_SECONDS = 300
const MIN_CHAPTER_SECONDS = 60
const MAX_CHAPTERS = 60
/** Time compared on each side of a possible chapter start. */
const WINDOW_SECONDS = 120
/** Shorter words are mostly function words, which say nothing about the topic. */
const MIN_LETTERS = 4
/** Limits scored chapter starts, so that a video lasting days takes no longer than one lasting hours. */
const MAX_CANDIDATES = 600
/** A pause of this length counts as much for a new chapter as entirely different words. */
const LONG_PAUSE_SECONDS = 6
/** Score of a visible change, relative to an audible one. */
const VISUAL_SCORE = 0.4
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
 * Chapters of a video or recording: those stored in the file, otherwise derived from its moments. A derived chapter starts
 * where the words change, after a pause, or where the picture or the text on the screen changes; its title is the text of a
 * moment.
 */
export function chaptersOf(moments: DetailMoment[], parts: DetailPart[], durationSeconds: number | null): Chapter[] {
  const chapterTitles = moments.filter(isChapterTitle)
  if (chapterTitles.length > 1) return chapterTitles.map((moment) => titledChapter(moment, parts))
  if (durationSeconds === null || durationSeconds < MIN_DURATION_SECONDS) return []
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
  // A chapter without a title was left out, so the one before it continues.
  return chapters.length < 2
    ? []
    : chapters.map((chapter, index) => ({ ...chapter, end: chapters[index + 1]?.start ?? durationSeconds }))
}

/** True for a chapter title stored in the file itself, which belongs to no frame. */
function isChapterTitle({ kind, startSeconds, frameNumber }: DetailMoment): boolean {
  return kind === 'text' && startSeconds !== null && frameNumber === null
}

function titledChapter({ startSeconds, endSeconds, body }: DetailMoment, parts: DetailPart[]): Chapter {
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
  const startCount = Math.min(MAX_CHAPTERS, Math.max(2, Math.round(durationSeconds / USUAL_CHAPTER_SECONDS))) - 1
  const minDistanceSeconds = Math.max(MIN_CHAPTER_SECONDS, durationSeconds / (startCount + 1) / 3)
  const chosenStarts: number[] = []
  for (const { start } of scoreStarts(timedMoments).sort(
    (one, other) => other.score - one.score || one.start - other.start,
  )) {
    if (chosenStarts.length === startCount) break
    const isNearEnd = start < minDistanceSeconds || start > durationSeconds - MIN_CHAPTER_SECONDS / 2
    if (!isNearEnd && chosenStarts.every((chosenStart) => Math.abs(chosenStart - start) >= minDistanceSeconds))
      chosenStarts.push(start)
  }
  return chosenStarts
}

/** Scores moments as chapter starts; when there are very many, only some of them. */
function scoreStarts(timedMoments: TimedMoment[]): { start: number; score: number }[] {
  const step = Math.max(1, Math.ceil(timedMoments.length / MAX_CANDIDATES))
  let heardUntil = 0
  const candidates: { start: number; score: number }[] = []
  for (const [index, moment] of timedMoments.entries()) {
    const pauseSeconds = moment.kind === 'speech' ? Math.max(0, moment.start - heardUntil) : 0
    if (moment.kind === 'speech') heardUntil = Math.max(heardUntil, moment.end)
    // Every `step`th moment is scored, and all that follow a pause.
    if (index === 0 || (index % step !== 0 && pauseSeconds < LONG_PAUSE_SECONDS / 2)) continue
    const [before, after] = [wordsNear(timedMoments, index, -1), wordsNear(timedMoments, index, 1)]
    if (after.size === 0) continue
    const visualScore = moment.kind === 'speech' ? 0 : VISUAL_SCORE
    candidates.push({
      start: moment.start,
      score: 1 - cosineSimilarity(before, after) + Math.min(1, pauseSeconds / LONG_PAUSE_SECONDS) + visualScore,
    })
  }
  return candidates
}

/** Word counts of the texts on one side of a position. */
function wordsNear(timedMoments: TimedMoment[], position: number, direction: 1 | -1): Map<string, number> {
  const from = timedMoments[position]?.start ?? 0
  const counts = new Map<string, number>()
  for (
    let index = direction === 1 ? position : position - 1;
    index >= 0 && index < timedMoments.length;
    index += direction
  ) {
    const moment = timedMoments[index]
    if (moment === undefined || Math.abs(moment.start - from) > WINDOW_SECONDS) break
    for (const word of moment.words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return counts
}

function cosineSimilarity(one: Map<string, number>, other: Map<string, number>): number {
  const length = (counts: Map<string, number>) => Math.hypot(...counts.values())
  const both = length(one) * length(other)
  if (both === 0) return 0
  let product = 0
  for (const [word, count] of one) product += count * (other.get(word) ?? 0)
  return product / both
}

/** Chapter title: text on the screen, otherwise a caption, otherwise the first speech. */
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
  const cut = cutText(text, TITLE_CHARACTERS)
  const end = cut.lastIndexOf(' ')
  const title = end < TITLE_CHARACTERS / 2 ? cutText(cut, TITLE_CHARACTERS / 2) : cut.slice(0, end)
  return `${title.trimEnd()}…`
}

/** An item with the results of all steps, as in the contract; `signedPathOf` returns the signed path of one of its files. */
export function presentDetail(
  item: MediaItem,
  { moments, parts, waveform, pageTitles, sourceGoneAt }: ItemDetail,
  suggestedTags: string[],
  signedPathOf: (file: string) => string,
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
        thumbnail: signedPathOf(`frames/${number}`),
        caption: frameCaptions.get(number) ?? null,
        extracted_text:
          frameTexts
            .get(number)
            ?.map(({ body }) => body)
            .join('\n') ?? null,
      })),
    chapters: chaptersOf(moments, parts, item.duration),
    pages: presentPages(texts, { parts, pageTitles }, signedPathOf),
    words: parts.find(({ kind }) => kind === 'picture')?.words ?? [],
    waveform: readWaveform(waveform),
    locked: [
      ...(captions.some(isItemTextLocked) ? (['caption'] as const) : []),
      ...(texts.some(isItemTextLocked) ? (['extracted_text'] as const) : []),
    ],
    suggested_tags: suggestedTags,
    source_gone_at: sourceGoneAt,
    moments_by_engine: Object.fromEntries([...engines].map(([engine, ofEngine]) => [engine, ofEngine.length])),
  }
}

function isItemTextLocked({ isLocked, frameNumber, page }: DetailMoment): boolean {
  return isLocked && frameNumber === null && page === null
}

function presentPages(
  texts: DetailMoment[],
  { parts, pageTitles }: Pick<ItemDetail, 'parts' | 'pageTitles'>,
  signedPathOf: (file: string) => string,
): MediaDetail['pages'] {
  const byPage = Map.groupBy(texts, ({ page }) => page)
  const pages = new Map(parts.filter(({ kind }) => kind === 'page').map((part) => [part.number, part]))
  // An empty sheet still has its name.
  const titledPages = pageTitles.map((_, index) => index + 1)
  const numbers = new Set([...pages.keys(), ...titledPages, ...[...byPage.keys()].filter((page) => page !== null)])
  return [...numbers]
    .sort((one, other) => one - other)
    .map((page) => {
      const passages = byPage.get(page) ?? []
      const picture = pages.get(page)
      return {
        page,
        title: pageTitles[page - 1] || null,
        text: joinPassages(passages),
        thumbnail: picture ? signedPathOf(`pages/${page}`) : null,
        width: picture?.width ?? null,
        height: picture?.height ?? null,
        is_locked: passages.some(({ isLocked }) => isLocked),
      }
    })
}

/** Joins the passages of a text, with a line break where blanks between two of them were left out. */
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
