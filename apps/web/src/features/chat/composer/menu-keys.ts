import type { KeyboardEvent } from 'react'

/** State and actions of a list that a field's keys control. */
export interface MenuKeys {
  count: number
  activeIndex: number
  move: (index: number) => void
  putAway: () => void
  choose: (index: number) => void
}

/** True when a key was meant for the list: arrows move, Enter and Tab choose, Escape puts it away. */
export function takeMenuKey(event: KeyboardEvent, { count, activeIndex, move, putAway, choose }: MenuKeys): boolean {
  if (event.key === 'Escape') putAway()
  else if (count === 0) return false
  else if (event.key === 'ArrowDown') move((activeIndex + 1) % count)
  else if (event.key === 'ArrowUp') move((activeIndex - 1 + count) % count)
  else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') choose(activeIndex)
  else return false
  event.preventDefault()
  return true
}
