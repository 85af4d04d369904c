import { lazy, Suspense, useEffect } from 'react'
import { createStore, useStore } from '../lib/store.ts'

const Palette = lazy(() => import('./command-palette-dialog.tsx').then((module) => ({ default: module.PaletteDialog })))

const isOpenStore = createStore(false)

/** Opens the palette. */
export function showCommandPalette(): void {
  isOpenStore.set(true)
}

/** Ctrl K or ⌘ K on every screen, also while somebody writes: goes anywhere. Its code is loaded when it is first opened. */
export function CommandPalette() {
  const isOpen = useStore(isOpenStore)
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      // Over another window it would take that one's place in the keyboard's order.
      if (isOpenStore.get() || document.querySelector('[role=dialog], [role=alertdialog]') === null) {
        isOpenStore.set(!isOpenStore.get())
      }
    }
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette onClose={() => isOpenStore.set(false)} />
    </Suspense>
  )
}
