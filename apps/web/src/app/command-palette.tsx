import { lazy, Suspense, useEffect } from 'react'
import { createStore, useStore } from '../lib/loading/store.ts'

const Palette = lazy(() => import('./command-palette-dialog.tsx').then((module) => ({ default: module.PaletteDialog })))

const isOpenStore = createStore(false)
/** Characters typed while the palette's code is loading; they belong in its field and must not trigger shortcuts. */
let typedAhead = ''
/** One that fades is closed already; beside what lies beside the page (a popover, a panel) the palette may open. */
const OPEN_WINDOW = ':is([role=dialog], [role=alertdialog]):not([data-state=closed], [data-beside-page])'

/** Opens the palette. */
export function showCommandPalette(): void {
  typedAhead = ''
  isOpenStore.set(true)
}

/** Ctrl K or ⌘ K on every screen, also while somebody writes: goes anywhere. Its code is loaded when it is first opened. */
export function CommandPalette() {
  const isOpen = useStore(isOpenStore)
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (isTypedAhead(event)) {
        event.preventDefault()
        typedAhead += event.key
        return
      }
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      // Over another window it would take that one's place in the keyboard's order.
      if (isOpenStore.get() || document.querySelector(OPEN_WINDOW) === null) {
        typedAhead = ''
        isOpenStore.set(!isOpenStore.get())
      }
    }
    // before a field or a shortcut takes the key
    document.addEventListener('keydown', handle, { capture: true })
    return () => document.removeEventListener('keydown', handle, { capture: true })
  }, [])
  if (!isOpen) return null
  return (
    <Suspense>
      <Palette typed={() => typedAhead} onClose={() => isOpenStore.set(false)} />
    </Suspense>
  )
}

function isTypedAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isCharacter = key.length === 1 && !ctrlKey && !metaKey && !altKey
  return isCharacter && isOpenStore.get() && document.querySelector(OPEN_WINDOW) === null
}
