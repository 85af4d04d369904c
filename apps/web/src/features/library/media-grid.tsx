import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useLocale, useText } from '../../lib/i18n/i18n.ts'
import { useSettings } from '../../lib/session/settings.ts'
import { useIsPainted } from '../../ui/use-is-painted.ts'
import {
  createDayOf,
  type Days,
  type GridRow,
  layOut,
  measuresFor,
  neighbourInNextRow,
  rowIndexOf,
} from './grid-layout.ts'
import type { GridItem, ItemSelection } from './library-items.ts'
import type { LibraryFilters } from './library-queries.ts'
import { MediaTile, type TileActions } from './media-tile.tsx'

/**
 * Moves the focus among the cards of a virtualised grid with the arrow keys, Home and End. Tab reaches one card (roving
 * tabindex); when that card is removed, the next one takes its place.
 *
 * @param reveal scrolls an item into view; its card may be drawn only after that.
 */
export function useGridKeyboard({ items, rows, reveal, onMoved }: GridKeyboardOptions) {
  const grid = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState<string | null>(null)
  const pendingId = useRef<string | null>(null)
  const indexOfActive = activeId === null ? -1 : items.findIndex(({ id }) => id === activeId)
  const lastIndex = useRef(0)
  const activeIndex = indexOfActive >= 0 ? indexOfActive : Math.max(0, Math.min(lastIndex.current, items.length - 1))
  const losesFocus = activeId !== null && indexOfActive < 0 && isFocusAt(grid.current, activeId)

  // The card may appear in any render after scrolling.
  useLayoutEffect(() => {
    if (pendingId.current === null) return
    const card = grid.current?.querySelector<HTMLElement>(`[data-media-id="${pendingId.current}"]`)
    if (!card) return
    pendingId.current = null
    card.focus({ preventScroll: true })
  })

  const focusItem = useCallback(
    (index: number) => {
      const item = items[index]
      if (!item) return
      pendingId.current = item.id
      setActiveId(item.id)
      reveal(index)
    },
    [items, reveal],
  )

  useLayoutEffect(() => {
    lastIndex.current = activeIndex
    if (losesFocus) focusItem(activeIndex)
  })

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLElement)) return
    if (event.target.dataset.mediaId === undefined) return
    const next = nextIndex(event.key, activeIndex, items.length, rows)
    if (next === undefined) return
    event.preventDefault()
    if (next === null || next === activeIndex) return
    if (event.shiftKey) onMoved(items[activeIndex]?.id ?? null, items[next]?.id ?? null)
    focusItem(next)
  }

  return { grid, activeIndex, onFocus: setActiveId, focusItem, onKeyDown }
}

/** True when the card has the focus, or will get it back when an open confirmation dialog closes. */
function isFocusAt(grid: HTMLElement | null, id: string): boolean {
  const focused = document.activeElement
  if (focused?.closest('[role=alertdialog]')) return true
  return focused instanceof HTMLElement && grid?.contains(focused) === true && focused.dataset.mediaId === id
}

/**
 * Index that a key moves the focus to: undefined for keys the grid doesn't handle, null when there's nothing in that direction.
 */
function nextIndex(key: string, index: number, count: number, rows: readonly GridRow[]): number | null | undefined {
  if (key === 'ArrowLeft') return Math.max(0, index - 1)
  if (key === 'ArrowRight') return Math.min(count - 1, index + 1)
  if (key === 'ArrowUp') return neighbourInNextRow(rows, index, -1)
  if (key === 'ArrowDown') return neighbourInNextRow(rows, index, 1)
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

/** Calls a function for keys pressed anywhere on the page, outside of text fields and while no dialog is open. */
export function usePageKeys(isOn: boolean, onKey: (event: KeyboardEvent) => void): void {
  const handle = useEffectEvent(onKey)
  useEffect(() => {
    if (!isOn) return
    const listener = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector('[role=dialog], [role=alertdialog], [role=menu]')) return
      const target = event.target
      if (target instanceof HTMLElement) {
        if (target.isContentEditable) return
        if (target.closest('input:not([type=checkbox], [type=radio]), textarea, select')) return
      }
      handle(event)
    }
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [isOn])
}

type GridKeyboardOptions = {
  items: readonly GridItem[]
  rows: readonly GridRow[]
  reveal: (index: number) => void
  /** Called when the focus moves with Shift held. */
  onMoved: (from: string | null, to: string | null) => void
}

/** Rows rendered beyond the visible ones, after the first paint. */
const OVERSCAN_ROWS = 3
/** A heading and a row of pictures, which are loaded first so that they don't wait for those below on a slow connection. */
const FIRST_ROWS = 2
/** Distance from the end, in rows, at which the next page is fetched. */
const ROWS_AHEAD = 6
/** Height in pixels of the toolbar above the grid; matches `top-14`. */
const TOOLS_HEIGHT = 56

/** Virtualised grid of the library's cards, in rows that fill the width. */
export function MediaGrid({
  scroller,
  items,
  total,
  sort,
  addressOf,
  selection,
  actions,
  onRange,
  onNearEnd,
  returnTo,
}: MediaGridProps) {
  const text = useText('gallery')
  const { timezone } = useSettings()
  const [bounds, setBounds] = useState({ width: 0, top: 0 })
  const outer = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    const element = outer.current
    const content = element?.parentElement
    if (!element || !content) return
    const measure = () => {
      const next = { width: element.clientWidth, top: element.offsetTop }
      setBounds((previous) => (previous.width === next.width && previous.top === next.top ? previous : next))
    }
    measure()
    // Content above the grid may move the grid without changing its width.
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    for (const sibling of content.children) observer.observe(sibling)
    return () => observer.disconnect()
  }, [])

  const dayOf = useMemo(() => createDayOf(sort, timezone), [sort, timezone])
  const rows = useMemo(() => layOut(items, measuresFor(bounds.width), dayOf), [items, bounds.width, dayOf])
  const gap = measuresFor(bounds.width).gap
  const latestRows = useRef(rows)
  latestRows.current = rows
  const tops = useMemo(() => {
    let top = 0
    return rows.map(({ height }) => {
      top += height
      return top - height
    })
  }, [rows])
  const latestTops = useRef(tops)
  latestTops.current = tops
  const latestBounds = useRef(bounds)
  latestBounds.current = bounds

  const isPainted = useIsPainted(rows.length > 0)
  const stickyRow = useRef(-1)
  const activeRow = useRef(-1)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rows[index]?.height ?? 0,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: isPainted ? OVERSCAN_ROWS : 0,
    scrollMargin: bounds.top,
    scrollPaddingStart: TOOLS_HEIGHT + (rows[0]?.kind === 'heading' ? rows[0].height : 0),
    scrollPaddingEnd: 16,
    rangeExtractor: useCallback(
      (range: Range) => {
        // the toolbar covers the top
        const top = (scroller.current?.scrollTop ?? 0) + TOOLS_HEIGHT - latestBounds.current.top
        let heading = range.startIndex
        while ((latestTops.current[heading + 1] ?? Number.POSITIVE_INFINITY) <= top) heading += 1
        while (heading > 0 && latestRows.current[heading]?.kind !== 'heading') heading -= 1
        stickyRow.current = latestRows.current[heading]?.kind === 'heading' ? heading : -1
        // The row with the focus stays rendered; otherwise the focus would be lost.
        const pinnedRows = [stickyRow.current, activeRow.current].filter((row) => row >= 0 && row < range.count)
        return [...new Set([...pinnedRows, ...defaultRangeExtractor(range)])].sort((one, other) => one - other)
      },
      [scroller],
    ),
  })

  // Heights are computed by the layout, so a new layout invalidates the virtualizer's.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on `rows`
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rows])

  const keyboard = useGridKeyboard({
    items,
    rows,
    reveal: useCallback(
      (index: number) => virtualizer.scrollToIndex(rowIndexOf(latestRows.current, index), { align: 'auto' }),
      [virtualizer],
    ),
    onMoved: onRange,
  })
  activeRow.current = rowIndexOf(rows, keyboard.activeIndex)

  const { focusItem, onFocus } = keyboard
  const tileActions = useMemo((): TileActions => ({ ...actions, onFocus }), [actions, onFocus])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each item that was closed
  useEffect(() => {
    const index = returnTo === null ? -1 : items.findIndex(({ id }) => id === returnTo)
    if (index >= 0) focusItem(index)
  }, [returnTo])

  const virtualRows = virtualizer.getVirtualItems()
  const lastShown = virtualRows.at(-1)?.index ?? -1
  useEffect(() => {
    if (lastShown >= 0 && lastShown >= rows.length - ROWS_AHEAD) onNearEnd()
  }, [lastShown, rows.length, onNearEnd])

  return (
    <div ref={outer}>
      {/* biome-ignore lint/a11y/useSemanticElements: virtualised rows of different widths aren't a table */}
      <div
        ref={keyboard.grid}
        role="grid"
        aria-label={text('grid.label', { count: total })}
        aria-rowcount={rows.length}
        aria-multiselectable
        onKeyDown={keyboard.onKeyDown}
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualRows.map(({ index, key, start }) => {
          const row = rows[index]
          if (!row) return null
          const offset = start - bounds.top
          return row.kind === 'heading' ? (
            <DayHeading key={key} row={row} index={index} offset={index === stickyRow.current ? null : offset} />
          ) : (
            // biome-ignore lint/a11y/useSemanticElements: see the grid
            // biome-ignore lint/a11y/useFocusableInteractive: see the grid
            <div
              key={key}
              role="row"
              aria-rowindex={index + 1}
              className="absolute inset-x-0 top-0 flex"
              style={{ transform: `translateY(${offset}px)`, height: row.height, columnGap: gap }}
            >
              {row.widths.map((width, column) => {
                const item = items[row.firstIndex + column]
                return (
                  item && (
                    <MediaTile
                      key={item.id}
                      item={item}
                      address={addressOf(item.id)}
                      width={width}
                      pictureHeight={row.pictureHeight}
                      isFirst={index < FIRST_ROWS}
                      isSelected={selection.ids.has(item.id)}
                      isSelecting={selection.ids.size > 0}
                      isTabStop={row.firstIndex + column === keyboard.activeIndex}
                      actions={tileActions}
                    />
                  )
                )
              })}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Heading of the rows below it; the one of the topmost visible row sticks to the top. */
function DayHeading({ row, index, offset }: DayHeadingProps) {
  const daysText = useDaysText()
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    // biome-ignore lint/a11y/useFocusableInteractive: see the grid
    <div
      role="row"
      aria-rowindex={index + 1}
      className={offset === null ? 'sticky top-14 z-10 -mx-1 bg-surface px-1' : 'absolute inset-x-0 top-0'}
      // The outline of a selected card reaches a little above its row.
      style={{ height: row.height - 6, transform: offset === null ? undefined : `translateY(${offset}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: see the grid */}
      <div role="gridcell" className="flex h-full items-center">
        <h2 className="text-14 font-semibold">{daysText(row.days)}</h2>
      </div>
    </div>
  )
}

/** Formatter of days: "Today", "Sunday, May 17", "May 3 – 17"; with the year unless it's the current one. */
export function useDaysText(): (days: Days) => string {
  const text = useText('gallery')
  const locale = useLocale()
  const { timezone } = useSettings()
  const today = createDayOf('newest', timezone)?.({ timestamp: new Date().toISOString() } as GridItem) ?? ''
  return useMemo(() => {
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
    const formatOf = (day: string, parts: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, {
        timeZone: 'UTC',
        day: 'numeric',
        month: 'long',
        ...(day.slice(0, 4) !== today.slice(0, 4) && { year: 'numeric' }),
        ...parts,
      })
    return ({ first, last }) => {
      if (first === 'unknown') return text('grid.unknownDay')
      if (first === last && first === today) return text('grid.today')
      if (first === last && first === yesterday) return text('grid.yesterday')
      if (first === last) return formatOf(first, { weekday: 'long' }).format(new Date(first))
      const [from, to] = first < last ? [first, last] : [last, first]
      return formatOf(from, {}).formatRange(new Date(from), new Date(to))
    }
  }, [locale, text, today])
}

type DayHeadingProps = {
  row: Extract<GridRow, { kind: 'heading' }>
  index: number
  /** Vertical offset in pixels; null while it sticks to the top. */
  offset: number | null
}

type MediaGridProps = {
  /** Scroll container. */
  scroller: RefObject<HTMLElement | null>
  items: readonly GridItem[]
  /** Number of items, including those not fetched yet. */
  total: number
  sort: LibraryFilters['sort']
  addressOf: (id: string) => string
  selection: ItemSelection
  actions: Omit<TileActions, 'onFocus'>
  /** Called when the focus moves with Shift held, to select everything in between. */
  onRange: (from: string | null, to: string | null) => void
  /** Called when the end of the fetched items is near. */
  onNearEnd: () => void
  /** The item that was open last; its card takes the focus. */
  returnTo: string | null
}
