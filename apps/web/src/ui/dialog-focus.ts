import { useRef } from 'react'
import { rowNeighbour } from './row-neighbour.ts'

/**
 * Manages focus as a dialog opens and closes; Radix does so only for dialogs with a trigger of their own.
 *
 * Opening focuses the element marked `data-autofocus`, if any. Closing returns the focus to the element that had it
 * before; if that was a menu entry, to the menu's button; if its list row has been deleted meanwhile, to the next row.
 */
export function useDialogFocus() {
  const returnTo = useRef<Element | null>(null)
  const findNeighbour = useRef(rowNeighbour(null))
  return {
    onOpenAutoFocus: (event: Event) => {
      const before = document.activeElement
      const menuButton = before?.closest('[role=menu]')?.getAttribute('aria-labelledby')
      returnTo.current = menuButton ? document.getElementById(menuButton) : before
      findNeighbour.current = rowNeighbour(returnTo.current)
      const target = (event.target as HTMLElement).querySelector<HTMLElement>('[data-autofocus]')
      if (!target) return
      event.preventDefault()
      target.focus()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      const before = returnTo.current?.isConnected ? returnTo.current : findNeighbour.current()
      if (before instanceof HTMLElement) before.focus()
    },
  }
}
