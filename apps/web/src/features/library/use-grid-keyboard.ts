import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { type GridRow, neighbourInRow } from './grid-layout.ts'
import type { GridItem } from './library-items.ts'

/**
 * Moves the focus among the cards of a windowed grid by arrows, Home and End. One card at a time is reached by Tab.
 *
 * @param reveal scrolls an item into view; its card may be drawn only after that.
 */
export function useGridKeyboard({ items, rows, reveal, onMoved }: GridKeyboardOptions) {
  const grid = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState<string | null>(null)
  const pendingId = useRef<string | null>(null)
  const indexOfActive = activeId === null ? -1 : items.findIndex(({ id }) => id === activeId)
  const activeIndex = Math.max(indexOfActive, 0)

  // A card that is wanted may come with any drawing after the scrolling.
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

/**
 * Index that a key moves to: undefined for keys the grid doesn't handle, null when there's nothing in that direction.
 */
function nextIndex(key: string, index: number, count: number, rows: readonly GridRow[]): number | null | undefined {
  if (key === 'ArrowLeft') return Math.max(0, index - 1)
  if (key === 'ArrowRight') return Math.min(count - 1, index + 1)
  if (key === 'ArrowUp') return neighbourInRow(rows, index, -1)
  if (key === 'ArrowDown') return neighbourInRow(rows, index, 1)
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return undefined
}

/** Calls a function for keys pressed anywhere on the page while nothing is written and no dialog is open. */
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
  /** The focus moved with Shift held. */
  onMoved: (from: string | null, to: string | null) => void
}
