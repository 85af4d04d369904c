import { isComposing } from './is-composing.ts'

/**
 * Leaves Escape to an input method that composes letters, and to the control that it was pressed in, when that or what
 * is around it has `data-takes-escape`: Radix hears the key before the control does, and would close a dialog or panel.
 * For `onEscapeKeyDown`.
 */
export function leaveEscapeToControl(event: KeyboardEvent): void {
  const isTaken = event.target instanceof Element && event.target.closest('[data-takes-escape]') !== null
  if (isTaken || isComposing(event)) event.preventDefault()
}
