/** True for a key handled by an input method during composition. Some browsers report it only by the key code. */
export function isComposing({
  isComposing: composes,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return composes || keyCode === 229
}
