import type { CorrectedFact, LibraryJson, MediaItemJson, MediaType, ProcessingStatus } from '@mira/shared'
import { firstLines, plainBeginning } from '../../lib/format/note-text.ts'

/** Selected items, and the anchor for the next range. */
export interface ItemSelection {
  ids: ReadonlySet<string>
  anchor: string | null
}

/** Nothing is chosen. */
export const emptySelection: ItemSelection = { ids: new Set(), anchor: null }

/** Chooses an item, or no longer. */
export function toggle({ ids }: ItemSelection, id: string): ItemSelection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id }
}

/** Chooses everything between the item that was touched last and this one, in the order of the list. */
export function extendTo(selection: ItemSelection, id: string, order: readonly { id: string }[]): ItemSelection {
  const from = order.findIndex((item) => item.id === selection.anchor)
  const to = order.findIndex((item) => item.id === id)
  if (from === -1 || to === -1) return toggle(selection, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ids: new Set([...selection.ids, ...range.map((item) => item.id)]), anchor: selection.anchor }
}

/** Chooses all that are loaded. */
export function selectAll(order: readonly { id: string }[], { anchor }: ItemSelection): ItemSelection {
  return { ids: new Set(order.map(({ id }) => id)), anchor: anchor ?? order[0]?.id ?? null }
}

/** Forgets what is no longer in the list. */
export function keepListed(selection: ItemSelection, order: readonly { id: string }[]): ItemSelection {
  if (selection.ids.size === 0) return selection
  const listed = new Set(order.map(({ id }) => id))
  const ids = new Set([...selection.ids].filter((id) => listed.has(id)))
  return ids.size === selection.ids.size ? selection : { ids, anchor: selection.anchor }
}

/** Degrees. */
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
  /** The beginning of what was read or said in it; null when there is nothing. */
  snippet: string | null
  /** The first lines of what has no picture; null where there are none. */
  firstLines: string | null
  /** Loudness of a recording over time, 0 to 1 each; empty for everything else. */
  waveform: readonly number[]
  thumbnail: string | null
  thumbhash: string | null
  duration: number | null
  /** True for live photos, which include a few seconds of video. */
  isLive: boolean
  timestamp: string
  /** The wall clock at the place, without a zone. */
  takenLocal: string | null
  /** Place at which it was taken. */
  place: Place | null
  /** Facts corrected by the user, which override the file's. */
  corrected: readonly CorrectedFact[]
  /** Width through height; null when it is not known. */
  ratio: number | null
  status: ProcessingStatus
  error: string | null
  tags: readonly string[]
}

/** A part of the library as the grid keeps it. */
export interface GridPage {
  items: GridItem[]
  nextCursor: string | null
  total: number
}

const SNIPPET_CHARACTERS = 120

/** Keeps of an item what the grid needs. */
export function toGridItem(item: MediaItemJson): GridItem {
  const { width, height, original_filename: name, taken_local, latitude, longitude, corrected } = item.metadata
  const snippet = item.extracted_text || item.transcription || item.content
  return {
    id: item.id,
    type: item.media_type,
    name,
    caption: item.caption || null,
    snippet:
      plainBeginning(snippet ?? '', name)
        .slice(0, SNIPPET_CHARACTERS)
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

/** Keeps of a part of the library what the grid needs. */
export function toLibraryPage({ media_items, next_cursor, total }: LibraryJson): GridPage {
  return { items: media_items.map(toGridItem), nextCursor: next_cursor, total }
}

/** Every item once, in order: one that moved to another page while pages were fetched would be there twice. */
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

/** Changes or, where `change` gives null, removes items in the pages; the same pages when there is nothing to change. */
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
