import { isComposing } from './is-composing.ts'

/**
 * Leaves Escape to an input method during composition, and to the focused control, when that or an ancestor
 * has `data-takes-escape`: Radix handles the key before the control does, and would close a dialog or panel.
 * For `onEscapeKeyDown`.
 */
export function leaveEscapeToControl(event: KeyboardEvent): void {
  const isTaken = event.target instanceof Element && event.target.closest('[data-takes-escape]') !== null
  if (isTaken || isComposing(event)) event.preventDefault()
}
