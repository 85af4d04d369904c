const listeners = new Set<() => void>()
let isShown = false

/** True while a panel is open next to the page. */
export const isSidePanelShown = (): boolean => isShown

/** Tells that there is a panel beside the page, or none any more. */
export function setSidePanelShown(now: boolean): void {
  isShown = now
  for (const listener of listeners) listener()
}

/** Calls `listener` after each change and returns how to stop. */
export function followSidePanel(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
