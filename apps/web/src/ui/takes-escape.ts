import { isComposing } from './is-composing.ts'

/**
 * Handler for `onEscapeKeyDown`. Leaves Escape to an input method during composition, and to the focused control if it or
 * an ancestor has `data-takes-escape`: Radix handles the key before the control does, and would close the dialog or panel.
 */
export function leaveEscapeToControl(event: KeyboardEvent): void {
  const isTaken = event.target instanceof Element && event.target.closest('[data-takes-escape]') !== null
  if (isTaken || isComposing(event)) event.preventDefault()
}
