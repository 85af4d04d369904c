/** Action offered by a toast; choosing it dismisses the toast. */
export type ToastAction = { label: string; onSelect: () => void }

/** Short message about an event; it disappears automatically. */
export type Toast = {
  id: number
  tone: 'info' | 'success' | 'warning' | 'danger'
  title: string
  description?: string
  action?: ToastAction
  /** Several actions, side by side. */
  actions?: readonly ToastAction[]
  /** Display time while it isn't hovered; errors stay longer by default. */
  durationMs: number
}

const DURATION_MS = 5000
const DANGER_DURATION_MS = 10_000
const MAX_CONCURRENT = 4

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function replaceToasts(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Shows a message and returns its id; the oldest is removed when there are more than four. */
export function showToast({ durationMs, tone = 'info', ...rest }: ToastContent): number {
  lastId += 1
  const toast = {
    ...rest,
    tone,
    id: lastId,
    durationMs: durationMs ?? (tone === 'danger' ? DANGER_DURATION_MS : DURATION_MS),
  }
  replaceToasts([...toasts, toast].slice(-MAX_CONCURRENT))
  return lastId
}

/** Removes a message; ignores unknown ids. */
export function dismissToast(id: number): void {
  replaceToasts(toasts.filter((toast) => toast.id !== id))
}

/** Visible toasts; the same array until they change. */
export function currentToasts(): readonly Toast[] {
  return toasts
}

/** Calls `listener` after each change. @returns a function to unsubscribe. */
export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export type ToastContent = Pick<Toast, 'title' | 'description' | 'action' | 'actions'> & {
  tone?: Toast['tone']
  durationMs?: number
}
