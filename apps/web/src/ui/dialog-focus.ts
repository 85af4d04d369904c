import { useRef } from 'react'

/**
 * Where the focus goes when a dialog opens and closes; Radix knows it only for dialogs with a trigger of its own.
 *
 * It opens on the element marked `data-autofocus`, if there is one, and returns to what had the focus before; when
 * that was an entry of a menu, to the button of the menu.
 */
export function useDialogFocus() {
  const returnTo = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: (event: Event) => {
      const before = document.activeElement
      const menuButton = before?.closest('[role=menu]')?.getAttribute('aria-labelledby')
      returnTo.current = menuButton ? document.getElementById(menuButton) : before
      const wanted = (event.target as HTMLElement).querySelector<HTMLElement>('[data-autofocus]')
      if (!wanted) return
      event.preventDefault()
      wanted.focus()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      if (returnTo.current instanceof HTMLElement) returnTo.current.focus()
    },
  }
}
