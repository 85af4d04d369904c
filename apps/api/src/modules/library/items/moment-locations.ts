import { cutText } from '@mira/shared/constants/cut-text'
import type { LockedMoment } from '../pipeline/results.store.ts'
import type { NewMoment } from '../pipeline/step.ts'

/** Longer moments cover too many topics for a search. */
const MOMENT_MAX_CHARACTERS = 2000
const ROLL_UP_MAX_CHARACTERS = 1_000_000
const CAPTION_ROLL_UP_MAX_CHARACTERS = 2000

/** Text of a moment with its location. */
interface LocatedText {
  frameNumber?: number | null | undefined
  page?: number | null | undefined
  startSeconds?: number | null | undefined
  endSeconds?: number | null | undefined
  characterOffset?: number | null | undefined
  body: string
}

/** Splits a moment at sentence or word boundaries; an empty moment yields none. */
export function splitMoment(moment: NewMoment): NewMoment[] {
  if (moment.body.trim() === '') return []
  if (moment.body.length <= MOMENT_MAX_CHARACTERS) return [moment]
  const pieces: NewMoment[] = []
  for (let start = 0; start < moment.body.length; ) {
    const rest = moment.body.slice(start)
    const end = start + boundaryIn(cutText(rest, MOMENT_MAX_CHARACTERS), rest.length)
    const offset = moment.characterOffset === undefined ? {} : { characterOffset: moment.characterOffset + start }
    pieces.push({ ...moment, body: moment.body.slice(start, end), ...offset })
    start = end
  }
  return pieces.filter(({ body }) => body.trim() !== '')
}

function boundaryIn(window: string, remainingLength: number): number {
  if (remainingLength <= window.length) return window.length
  const half = Math.floor(window.length / 2)
  for (const boundary of [/\n\n/g, /[.!?…]\s/g, /\s/g]) {
    const last = [...window.matchAll(boundary)].at(-1)
    if (last && last.index >= half) return last.index + last[0].length
  }
  return window.length
}

/** Predicate for moments of one kind: true when a user's correction covers their location. */
export function isCorrectedBy(locked: LockedMoment[]): (moment: NewMoment) => boolean {
  const overlapsCorrection = mostlyOverlapping(locked)
  const frames = new Set<number>()
  const pages = new Set<number>()
  let isWholeItemCorrected = false
  for (const { frameNumber, page } of locked) {
    if (frameNumber !== null) frames.add(frameNumber)
    else if (page !== null) pages.add(page)
    else isWholeItemCorrected = true
  }
  return (moment) => {
    const { kind, frameNumber, page } = moment
    if (kind === 'speech') return overlapsCorrection(moment)
    if (frameNumber !== undefined && frames.has(frameNumber)) return true
    if (page !== undefined && pages.has(page)) return true
    // Frames have their own texts, besides that of the whole item.
    return isWholeItemCorrected && frameNumber === undefined
  }
}

/** Predicate: true when the span of one of these moments contains the middle of the moment's own span, or vice versa. */
function mostlyOverlapping(others: LocatedText[]): (moment: LocatedText) => boolean {
  const spans = others.map(spanOf).sort((a, b) => a.start - b.start)
  const starts = spans.map(({ start }) => start)
  const middles = spans.map(({ middle }) => middle).sort((a, b) => a - b)
  // Latest end among each span and the spans before it, in the order of the starts.
  let latest = Number.NEGATIVE_INFINITY
  const latestEnds = spans.map(({ end }) => {
    latest = Math.max(latest, end)
    return latest
  })
  return (moment) => {
    const { start, end, middle } = spanOf(moment)
    const firstAfter = firstWhere(starts, (otherStart) => otherStart > middle)
    if (firstAfter > 0 && (latestEnds[firstAfter - 1] ?? 0) >= middle) return true
    return (middles[firstWhere(middles, (otherMiddle) => otherMiddle >= start)] ?? Number.POSITIVE_INFINITY) <= end
  }
}

function spanOf({ startSeconds, endSeconds }: LocatedText): { start: number; end: number; middle: number } {
  const start = startSeconds ?? 0
  const end = endSeconds ?? start
  return { start, end, middle: (start + end) / 2 }
}

/** Index of the first sorted number that meets a monotonic condition. */
function firstWhere(ordered: number[], isTrue: (value: number) => boolean): number {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const half = (low + high) >> 1
    if (isTrue(ordered[half] as number)) high = half
    else low = half + 1
  }
  return low
}

/** New and locked moments in the order of their locations. */
export function sortByLocation<New extends LocatedText>(
  newMoments: New[],
  locked: LockedMoment[],
): (New | LockedMoment)[] {
  const locationOf = ({ page, startSeconds, frameNumber }: LocatedText) => page ?? startSeconds ?? frameNumber ?? 0
  return [...locked, ...newMoments].sort(
    (a, b) => locationOf(a) - locationOf(b) || (a.characterOffset ?? 0) - (b.characterOffset ?? 0),
  )
}

/** Joined text of moments of one kind, in order; null when it's empty. */
export function combineTexts(kind: NewMoment['kind'], moments: LocatedText[], locked: LockedMoment[]): string | null {
  const isOfWholeItem = ({ page, frameNumber }: LocatedText) =>
    (page ?? null) === null && (frameNumber ?? null) === null
  if (kind === 'speech') return cut(moments.map(({ body }) => body.trim()).join(' '), ROLL_UP_MAX_CHARACTERS)
  const lockedWholeItemMoments = locked.filter(isOfWholeItem)
  const usedMoments = lockedWholeItemMoments.length > 0 ? lockedWholeItemMoments : moments
  if (kind === 'text') return cut(textOf(usedMoments), ROLL_UP_MAX_CHARACTERS)
  const wholeItemMoments = usedMoments.filter(isOfWholeItem)
  const bodies = (wholeItemMoments.length > 0 ? wholeItemMoments : usedMoments).map(({ body }) => body.trim())
  return cut([...new Set(bodies)].join(' '), CAPTION_ROLL_UP_MAX_CHARACTERS)
}

/** Texts of all locations without repetitions, separated by empty lines. */
function textOf(moments: LocatedText[]): string {
  const byLocation = Map.groupBy(moments, ({ page, frameNumber }) => `${page ?? ''}/${frameNumber ?? ''}`)
  const texts = [...byLocation.values()].map((atLocation) =>
    // Passages include the white space between them; lines of a picture don't.
    atLocation
      .map(({ body }) => body)
      .join((atLocation[0]?.characterOffset ?? null) === null ? '\n' : '')
      .trim(),
  )
  return [...new Set(texts)].filter(Boolean).join('\n\n')
}

function cut(text: string, max: number): string | null {
  if (text.length <= max) return text || null
  return `${cutText(text, max - 1)}…`
}
