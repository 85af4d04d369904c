import type { CorrectedFact, LibraryJson, MediaItemJson, MediaType, ProcessingStatus } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { firstLines, plainBeginning } from '../../lib/format/note-text.ts'

/** Selected items, and the anchor for the next range. */
export interface ItemSelection {
  ids: ReadonlySet<string>
  anchor: string | null
}

export const emptySelection: ItemSelection = { ids: new Set(), anchor: null }

/** Selects or deselects an item. */
export function toggle({ ids }: ItemSelection, id: string): ItemSelection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id }
}

/** Selects everything from the anchor to this item, in the list's order. */
export function extendTo(selection: ItemSelection, id: string, order: readonly { id: string }[]): ItemSelection {
  const from = order.findIndex((item) => item.id === selection.anchor)
  const to = order.findIndex((item) => item.id === id)
  if (from === -1 || to === -1) return toggle(selection, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ids: new Set([...selection.ids, ...range.map((item) => item.id)]), anchor: selection.anchor }
}

/** Selects all loaded items. */
export function selectAll(order: readonly { id: string }[], { anchor }: ItemSelection): ItemSelection {
  return { ids: new Set(order.map(({ id }) => id)), anchor: anchor ?? order[0]?.id ?? null }
}

/** Deselects items that are no longer in the list. */
export function keepListed(selection: ItemSelection, order: readonly { id: string }[]): ItemSelection {
  if (selection.ids.size === 0) return selection
  const listed = new Set(order.map(({ id }) => id))
  const ids = new Set([...selection.ids].filter((id) => listed.has(id)))
  return ids.size === selection.ids.size ? selection : { ids, anchor: selection.anchor }
}

/** Coordinates in degrees. */
export interface Place {
  latitude: number
  longitude: number
}

/** Minimal data of an item for the grid; a library can have fifty thousand. */
export interface GridItem {
  id: string
  type: MediaType
  name: string
  caption: string | null
  /** Beginning of the item's text or transcript; null when there is none. */
  snippet: string | null
  /** First lines of an item without a picture; null when there are none. */
  firstLines: string | null
  /** Loudness of a recording over time, each value from 0 to 1; empty for other items. */
  waveform: readonly number[]
  thumbnail: string | null
  thumbhash: string | null
  duration: number | null
  /** True for live photos, which include a few seconds of video. */
  isLive: boolean
  timestamp: string
  /** Local time at the place of capture, without a time zone; null when unknown. */
  takenLocal: string | null
  /** Place of capture; null when unknown. */
  place: Place | null
  /** Facts corrected by the user, which override the file's. */
  corrected: readonly CorrectedFact[]
  /** Width divided by height; null when unknown. */
  ratio: number | null
  status: ProcessingStatus
  error: string | null
  tags: readonly string[]
}

/** A page of the library, reduced to the grid's data. */
export interface GridPage {
  items: GridItem[]
  nextCursor: string | null
  total: number
}

const SNIPPET_CHARACTERS = 120

/** Reduces an item to the grid's data. */
export function toGridItem(item: MediaItemJson): GridItem {
  const { width, height, original_filename: name, taken_local, latitude, longitude, corrected } = item.metadata
  const snippet = item.extracted_text || item.transcription || item.content
  return {
    id: item.id,
    type: item.media_type,
    name,
    caption: item.caption || null,
    snippet:
      cutText(plainBeginning(snippet ?? '', name), SNIPPET_CHARACTERS)
        .replace(/\s+/g, ' ')
        .trim() || null,
    firstLines: item.thumbnail === null && item.media_type === 'document' ? firstLines(item.content, name) : null,
    waveform: item.waveform ?? [],
    thumbnail: item.thumbnail,
    thumbhash: item.thumbhash,
    duration: item.duration,
    isLive: item.motion !== undefined,
    timestamp: item.timestamp,
    takenLocal: taken_local,
    place: latitude === null || longitude === null ? null : { latitude, longitude },
    corrected,
    ratio: width && height ? width / height : null,
    status: item.processing_status,
    error: item.error,
    tags: item.tags,
  }
}

/** Reduces a page of the library to the grid's data. */
export function toGridPage({ media_items, next_cursor, total }: LibraryJson): GridPage {
  return { items: media_items.map(toGridItem), nextCursor: next_cursor, total }
}

/** All items in order, without duplicates: an item that moved from one page to another while they were fetched is in both. */
export function uniqueItems(pages: readonly GridPage[]): GridItem[] {
  const seenIds = new Set<string>()
  const items: GridItem[] = []
  for (const page of pages) {
    for (const item of page.items) {
      if (seenIds.has(item.id)) continue
      seenIds.add(item.id)
      items.push(item)
    }
  }
  return items
}

/** Changes items, or removes them where `change` returns null; returns the same pages if nothing changes. */
export function changeItems<Page extends GridPage>(
  pages: Page[],
  ids: ReadonlySet<string>,
  change: (item: GridItem) => GridItem | null,
): Page[] {
  let removed = 0
  let isChanged = false
  const next = pages.map((page) => {
    if (!page.items.some(({ id }) => ids.has(id))) return page
    const items = page.items.flatMap((item) => (ids.has(item.id) ? (change(item) ?? []) : item))
    isChanged ||= items.length !== page.items.length || items.some((item, index) => item !== page.items[index])
    removed += page.items.length - items.length
    return { ...page, items }
  })
  if (!isChanged) return pages
  return removed === 0 ? next : next.map((page) => ({ ...page, total: Math.max(0, page.total - removed) }))
}
