import { useEffectEvent, useLayoutEffect } from 'react'
import { isComposing } from '../../ui/is-composing.ts'
import { createStore, useStore } from '../loading/store.ts'
import { readStored, writeStored } from './browser-storage.ts'

/** Keyboard shortcut of the current screen. */
interface Shortcut {
  /** `KeyboardEvent.key`: `c`, `?`, `/`, `Escape`. Letters in lower case. */
  key: string
  /** Description in the list under "?". */
  label: string
  /** The heading under which it is listed. */
  group: string
  onPress: () => void
  /** False while the key does nothing here. */
  isEnabled?: boolean
}

const ENABLED_KEY = 'shortcuts'

const shortcutsStore = createStore<readonly Shortcut[]>([])
const areEnabledStore = createStore(readStored(ENABLED_KEY) !== 'off')

/** All shortcuts of the current screen, for the list under "?". */
export function useShortcuts(): readonly Shortcut[] {
  return useStore(shortcutsStore)
}

/** State of the single-key shortcuts, and its setter; WCAG 2.1.4 requires a way to turn them off. */
export function useShortcutsEnabled(): [boolean, (areEnabled: boolean) => void] {
  return [
    useStore(areEnabledStore),
    (areEnabled) => {
      writeStored(ENABLED_KEY, areEnabled ? null : 'off')
      areEnabledStore.set(areEnabled)
    },
  ]
}

/** Registers a shortcut while the component is shown; of two with the same key, the later one wins. */
export function useShortcut({ key, label, group, onPress, isEnabled = true }: Shortcut): void {
  const press = useEffectEvent(onPress)
  // a layout effect, so that the shortcut works as soon as its screen is visible
  useLayoutEffect(() => {
    if (!isEnabled) return
    const shortcut: Shortcut = { key, label, group, onPress: () => press() }
    shortcutsStore.set([...shortcutsStore.get(), shortcut])
    return () => shortcutsStore.set(shortcutsStore.get().filter((one) => one !== shortcut))
  }, [key, label, group, isEnabled])
}

/** Handles the keys of all shortcuts; returns a function that stops this. Called once by the layout. */
export function listenToShortcuts(): () => void {
  const handle = (event: KeyboardEvent) => {
    if (!areEnabledStore.get() || !isMeantForShortcuts(event)) return
    const pressedKey = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const shortcut = shortcutsStore.get().findLast(({ key }) => key === pressedKey)
    if (!shortcut) return
    event.preventDefault()
    shortcut.onPress()
  }
  document.addEventListener('keydown', handle)
  return () => document.removeEventListener('keydown', handle)
}

/** False while the user types, holds a modifier key, or has a dialog or a menu open. */
function isMeantForShortcuts(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || isComposing(event)) return false
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  const target = event.target
  if (target instanceof HTMLElement) {
    if (target.isContentEditable) return false
    if (target.closest('input:not([type=checkbox], [type=radio]), textarea, select, [role=menu]')) return false
  }
  // a dialog that's fading out counts as closed
  return document.querySelector(':is([role=dialog], [role=alertdialog]):not([data-state=closed])') === null
}
