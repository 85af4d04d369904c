import { useSyncExternalStore } from 'react'
import { followSidePanel, isSidePanelShown } from '../ui/side-panel-shown.ts'

/** From this width on (1024 px) a screen shows two things beside each other, or a table. */
const WIDE = '(min-width: 64rem)'
/** From this width on (1280 px) it does so beside a panel as well. */
const WIDE_BESIDE_PANEL = '(min-width: 80rem)'

function follow(condition: string, listener: () => void): () => void {
  const query = matchMedia(condition)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

const followWide = (listener: () => void) => follow(WIDE, listener)

function followTight(listener: () => void): () => void {
  const stops = [follow(WIDE_BESIDE_PANEL, listener), followSidePanel(listener)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Whether the window is as wide as a desktop's. */
export function useIsWide(): boolean {
  return useSyncExternalStore(followWide, () => matchMedia(WIDE).matches)
}

/** Whether a panel beside the page leaves it no room for two things beside each other. */
export function useIsTight(): boolean {
  return useSyncExternalStore(followTight, () => isSidePanelShown() && !matchMedia(WIDE_BESIDE_PANEL).matches)
}
