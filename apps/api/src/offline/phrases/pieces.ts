import type { DateTime } from 'luxon'
import type { Span, Unit } from './calendar.ts'
import type { TimeWords } from './time-words.ts'

export type PeriodPart = keyof TimeWords['parts']

/** Start and end of each part of a week, month or year, in thirds. */
const thirds = { begin: [0, 1], middle: [1, 2], end: [2, 3] } as const
const SATURDAY = 6

/** A third of a period. The first two thirds have the given length, the last one the remainder. */
export function thirdOf({ from, to }: Span, part: PeriodPart, length: number, unit: 'days' | 'months'): Span {
  const [first, second] = thirds[part]
  return { from: from.plus({ [unit]: first * length }), to: second === 3 ? to : from.plus({ [unit]: second * length }) }
}

/**
 * A week, half or weekend of a month, or one of its weekdays (1 for Monday). Null when the month has none of that rank, and
 * for a quarter.
 * @param rank counts from 0; 4 is the last.
 */
export function pieceOfMonth({ from, to }: Span, rank: number, piece: keyof TimeWords['pieces'] | number): Span | null {
  const isLast = rank === 4
  if (piece === 'quarter') return null
  if (piece === 'week') {
    const begin = isLast ? to.minus({ days: 7 }) : from.plus({ days: 7 * rank })
    return { from: begin, to: begin.plus({ days: 7 }) }
  }
  if (piece === 'half') {
    const middle = from.plus({ days: 15 })
    return rank === 0 ? { from, to: middle } : { from: middle, to }
  }
  const weekday = piece === 'weekend' ? SATURDAY : piece
  const first = from.plus({ days: (weekday - from.weekday + 7) % 7 })
  const all = [0, 1, 2, 3, 4].map((weeks) => first.plus({ weeks })).filter((day) => day < to)
  const begin = isLast ? all.at(-1) : all[rank]
  return begin === undefined ? null : { from: begin, to: begin.plus({ days: piece === 'weekend' ? 2 : 1 }) }
}

/** The beginning, middle or end of a week, month or year; null for shorter units. */
export function partOfUnit(span: Span, unit: Unit, part: PeriodPart): Span | null {
  if (unit === 'year') return thirdOf(span, part, 4, 'months')
  if (unit === 'month') return thirdOf(span, part, 10, 'days')
  return unit === 'week' ? thirdOf(span, part, 2, 'days') : null
}

/** Full form of a two-digit year: 20xx, or 19xx if that year would be in the future. */
export function fullYear(short: number, today: DateTime): number {
  return 2000 + short <= today.year ? 2000 + short : 1900 + short
}
