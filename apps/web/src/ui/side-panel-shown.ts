const listeners = new Set<() => void>()
let isShown = false

/** True while a panel is open beside the page. */
export const isSidePanelShown = (): boolean => isShown

/** Records whether a panel is open beside the page. */
export function setSidePanelShown(next: boolean): void {
  isShown = next
  for (const listener of listeners) listener()
}

/** Calls `listener` after each change. @returns a function to unsubscribe. */
export function subscribeToSidePanel(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
