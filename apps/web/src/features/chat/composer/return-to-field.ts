import type { RefObject } from 'react'

/**
 * Gives the focus back to where a message is written when the button that had it goes away: the next letters would be
 * shortcuts of the page. Not on a phone, where the keyboard would lie over what is there to read.
 */
export function returnToField(field: RefObject<HTMLTextAreaElement | null>): void {
  if (!matchMedia('(pointer: coarse)').matches) field.current?.focus()
}
