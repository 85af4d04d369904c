import { lazy, useEffect } from 'react'
import { createStore, useStore } from '../lib/loading/store.ts'
import { PartBoundary } from '../ui/lazy-part.tsx'

const Palette = lazy(() => import('./command-palette-dialog.tsx').then((module) => ({ default: module.PaletteDialog })))

const isOpenStore = createStore(false)
/** Characters typed while the palette's code is loading; they belong in its field and must not trigger shortcuts. */
let typedAhead = ''
/** Selector of open modal dialogs: none that is fading out, and no popovers or panels, beside which the palette may open. */
const OPEN_DIALOG = ':is([role=dialog], [role=alertdialog]):not([data-state=closed], [data-beside-page])'

export function showCommandPalette(): void {
  typedAhead = ''
  isOpenStore.set(true)
}

/**
 * Command palette, opened with Ctrl K or ⌘ K on signed-in screens, even while typing, unless a modal dialog is open. Its code
 * loads when it's first opened.
 */
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
      // Over another dialog, the palette would break that dialog's focus order.
      if (isOpenStore.get() || document.querySelector(OPEN_DIALOG) === null) {
        typedAhead = ''
        isOpenStore.set(!isOpenStore.get())
      }
    }
    // before a field or a shortcut handles the key
    document.addEventListener('keydown', handle, { capture: true })
    return () => document.removeEventListener('keydown', handle, { capture: true })
  }, [])
  if (!isOpen) return null
  return (
    <PartBoundary onError={() => isOpenStore.set(false)}>
      <Palette getTypedText={() => typedAhead} onClose={() => isOpenStore.set(false)} />
    </PartBoundary>
  )
}

function isTypedAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isCharacter = key.length === 1 && !ctrlKey && !metaKey && !altKey
  return isCharacter && isOpenStore.get() && document.querySelector(OPEN_DIALOG) === null
}
