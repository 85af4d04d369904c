import { useSyncExternalStore } from 'react'
import { isSidePanelShown, subscribeToSidePanel } from '../../ui/side-panel-shown.ts'

/** Width (1024 px) from which a screen has two columns, or a table. */
const WIDE = '(min-width: 64rem)'
/** Width (1280 px) from which a screen has them even beside an open side panel. */
const WIDE_BESIDE_PANEL = '(min-width: 80rem)'

function subscribeToMedia(condition: string, listener: () => void): () => void {
  const query = matchMedia(condition)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

const subscribeToWide = (listener: () => void) => subscribeToMedia(WIDE, listener)

function subscribeToNarrowBesidePanel(listener: () => void): () => void {
  const unsubscribers = [subscribeToMedia(WIDE_BESIDE_PANEL, listener), subscribeToSidePanel(listener)]
  return () => {
    for (const stop of unsubscribers) stop()
  }
}

/** True when the window is at least as wide as a desktop's. */
export function useIsWide(): boolean {
  return useSyncExternalStore(subscribeToWide, () => matchMedia(WIDE).matches)
}

/** True when an open side panel leaves no room for two columns. */
export function useIsNarrowBesidePanel(): boolean {
  return useSyncExternalStore(
    subscribeToNarrowBesidePanel,
    () => isSidePanelShown() && !matchMedia(WIDE_BESIDE_PANEL).matches,
  )
}
