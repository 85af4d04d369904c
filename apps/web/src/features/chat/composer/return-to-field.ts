import type { RefObject } from 'react'

/**
 * Leaves the focus where a message is written when the button that had it goes away: the next letters would be shortcuts of
 * the page. On a phone the keyboard goes instead: it would lie over what is there to read.
 */
export function returnToField(field: RefObject<HTMLTextAreaElement | null>): void {
  if (matchMedia('(pointer: coarse)').matches) field.current?.blur()
  else field.current?.focus()
}
