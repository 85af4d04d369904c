/** True for a key that an input method takes: letters are being composed. Some browsers say so by this key code alone. */
export function isComposing({
  isComposing: composes,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return composes || keyCode === 229
}
