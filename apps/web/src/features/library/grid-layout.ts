import type { MediaSort } from '@mira/shared'
import { isoDayIn } from '../../lib/format/time-zones.ts'
import type { GridItem } from './library-items.ts'

/** A row of the grid: the heading of one or more days, or items side by side. */
export type GridRow =
  | { kind: 'heading'; key: string; days: Days; height: number }
  | { kind: 'items'; key: string; firstIndex: number; widths: readonly number[]; pictureHeight: number; height: number }

/** Day under which items are grouped, like `2026-05-17`; `unknown` for items without a date. */
type Day = string

/** First and last day under a heading, in the list's order; both are the same for a single day. */
export interface Days {
  first: Day
  last: Day
}

/** Sizes of the grid's parts in CSS pixels. */
interface GridMeasures {
  width: number
  gap: number
  /** Target height of pictures. */
  pictureHeight: number
  /** Height of the text below a picture. */
  captionHeight: number
  headingHeight: number
}

const MIN_RATIO = 0.72
const MAX_RATIO = 2.6
const FALLBACK_RATIO = { image: 1, video: 16 / 9, audio: 1.25, document: 0.9 }
/** Maximum factor by which a row may exceed the target height to fill the width. */
const MAX_STRETCH = 1.35

/** Aspect ratio (width / height) for display; panoramas and very narrow pictures are cropped to a visible size. */
function shownRatio({ type, ratio }: GridItem): number {
  return Math.min(MAX_RATIO, Math.max(MIN_RATIO, ratio ?? FALLBACK_RATIO[type]))
}

/** Measures for a grid width in CSS pixels. */
export function measuresFor(width: number): GridMeasures {
  const isNarrow = width < 560
  return {
    width,
    gap: isNarrow ? 8 : 16,
    pictureHeight: isNarrow ? 148 : width < 900 ? 176 : 208,
    captionHeight: 52,
    headingHeight: 44,
  }
}

/**
 * Arranges items in rows of equal height that fill the width, at their real aspect ratios. A new day starts a new row
 * under its heading; successive days of a month share a row if they fit into it. Without `dayOf` there are no headings.
 */
export function layOut(
  items: readonly GridItem[],
  measures: GridMeasures,
  dayOf: ((item: GridItem) => Day) | null,
): GridRow[] {
  const rows: GridRow[] = []
  if (measures.width <= 0) return rows
  if (dayOf === null) {
    addRows(items, 0, items.length, measures, rows)
    return rows
  }
  for (const { first, end, days } of dayGroups(items, measures, dayOf)) {
    rows.push({ kind: 'heading', key: `day ${days.first} ${first}`, days, height: measures.headingHeight })
    addRows(items, first, end, measures, rows)
  }
  return rows
}

interface DayGroup {
  first: number
  end: number
  days: Days
  /** Sum of the aspect ratios. */
  ratios: number
}

/** Groups consecutive items by day. Days of a month that fit into one row are merged, as their own rows would be mostly empty. */
function dayGroups(items: readonly GridItem[], measures: GridMeasures, dayOf: (item: GridItem) => Day): DayGroup[] {
  const { width, gap, pictureHeight } = measures
  const groups: DayGroup[] = []
  let group: DayGroup | undefined
  for (const [index, item] of items.entries()) {
    const day = dayOf(item)
    const ratio = shownRatio(item)
    if (group?.days.last === day) {
      group.end = index + 1
      group.ratios += ratio
      continue
    }
    group = { first: index, end: index + 1, days: { first: day, last: day }, ratios: ratio }
    groups.push(group)
  }
  const merged: DayGroup[] = []
  for (const next of groups) {
    const last = merged.at(-1)
    const isOfSameMonth = last !== undefined && last.days.last.slice(0, 7) === next.days.first.slice(0, 7)
    const count = last === undefined ? 0 : next.end - last.first
    if (isOfSameMonth && (last.ratios + next.ratios) * pictureHeight + gap * (count - 1) <= width) {
      last.end = next.end
      last.ratios += next.ratios
      last.days = { first: last.days.first, last: next.days.last }
    } else merged.push(next)
  }
  return merged
}

function addRows(
  items: readonly GridItem[],
  first: number,
  end: number,
  { width, gap, pictureHeight, captionHeight }: GridMeasures,
  rows: GridRow[],
): void {
  let ratios: number[] = []
  let sum = 0
  let rowStart = first
  const heightOf = (ratio: number, count: number) => (width - gap * (count - 1)) / ratio
  const close = (height: number) => {
    const widths = ratios.map((ratio) => Math.floor(ratio * height))
    rows.push({
      kind: 'items',
      key: items[rowStart]?.id ?? String(rowStart),
      firstIndex: rowStart,
      widths,
      pictureHeight: Math.round(height),
      height: Math.round(height) + captionHeight + gap,
    })
    rowStart += ratios.length
    ratios = []
    sum = 0
  }
  for (let index = first; index < end; index += 1) {
    const ratio = shownRatio(items[index] as GridItem)
    const before = ratios.length === 0 ? Number.POSITIVE_INFINITY : heightOf(sum, ratios.length)
    const after = heightOf(sum + ratio, ratios.length + 1)
    // The item would make this row lower than the target height. If the row is closer to that height without the item, the
    // item starts the next row.
    if (
      after < pictureHeight &&
      before <= pictureHeight * MAX_STRETCH &&
      before - pictureHeight < pictureHeight - after
    ) {
      close(before)
    }
    ratios.push(ratio)
    sum += ratio
    if (heightOf(sum, ratios.length) <= pictureHeight) close(heightOf(sum, ratios.length))
  }
  if (ratios.length > 0) close(Math.min(pictureHeight, heightOf(sum, ratios.length)))
}

/**
 * Index of the item above (-1) or below (1) whose centre is horizontally nearest to that of the given item, for the Up and
 * Down arrow keys; null when there's none.
 */
export function neighbourInNextRow(rows: readonly GridRow[], index: number, step: 1 | -1): number | null {
  const rowIndex = rowIndexOf(rows, index)
  const row = rows[rowIndex]
  if (row?.kind !== 'items') return null
  const middle = middleOf(row, index - row.firstIndex)
  for (let next = rowIndex + step; next >= 0 && next < rows.length; next += step) {
    const other = rows[next]
    if (other?.kind !== 'items') continue
    let best = 0
    for (let column = 1; column < other.widths.length; column += 1) {
      if (Math.abs(middleOf(other, column) - middle) < Math.abs(middleOf(other, best) - middle)) best = column
    }
    return other.firstIndex + best
  }
  return null
}

/** Index of an item's row; -1 when there's none. */
export function rowIndexOf(rows: readonly GridRow[], index: number): number {
  return rows.findIndex(
    (row) => row.kind === 'items' && index >= row.firstIndex && index < row.firstIndex + row.widths.length,
  )
}

function middleOf(row: Extract<GridRow, { kind: 'items' }>, column: number): number {
  let left = 0
  for (let before = 0; before < column; before += 1) left += row.widths[before] ?? 0
  return left + (row.widths[column] ?? 0) / 2
}

/** Length of the date in a local time like `2024-07-14T09:28:00`. */
const DAY_CHARACTERS = 10

/** Returns a function that gives an item's day in a time zone; null for sort orders that scatter the items of a day. */
export function createDayOf(sort: MediaSort, timeZone: string): ((item: GridItem) => Day) | null {
  if (sort === 'added' || sort === 'name' || sort === 'largest' || sort === 'longest') return null
  // cached per item: formatting fifty thousand dates takes a while
  const days = new WeakMap<GridItem, Day>()
  return (item) => {
    const cached = days.get(item)
    if (cached !== undefined) return cached
    // the day in the local time of capture, whatever the viewer's time zone
    const local = item.takenLocal?.slice(0, DAY_CHARACTERS)
    const day = local ?? (sort === 'taken' ? 'unknown' : isoDayIn(item.timestamp, timeZone))
    days.set(item, day)
    return day
  }
}
