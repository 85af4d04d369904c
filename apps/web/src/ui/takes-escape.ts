/**
 * Leaves Escape to the control that it was pressed in, when that or what is around it has `data-takes-escape`: Radix
 * hears the key before the control does, and would close a dialog or panel. For `onEscapeKeyDown`.
 */
export function leaveEscapeToControl(event: KeyboardEvent): void {
  if (event.target instanceof Element && event.target.closest('[data-takes-escape]')) event.preventDefault()
}
