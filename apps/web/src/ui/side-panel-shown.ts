const listeners = new Set<() => void>()
let isShown = false

/** True while a panel is open next to the page. */
export const isSidePanelShown = (): boolean => isShown

/** Records whether a panel is open next to the page. */
export function setSidePanelShown(now: boolean): void {
  isShown = now
  for (const listener of listeners) listener()
}

/** Calls `listener` after each change. @returns a function to unsubscribe. */
export function followSidePanel(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
