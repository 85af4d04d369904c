import type { KeyboardEvent } from 'react'

/** True for the keys that send what is written: Enter where the person has it so, Ctrl or ⌘ and Enter always. */
export function asksToSend({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, enterSends: boolean): boolean {
  return key === 'Enter' && !shiftKey && (enterSends || ctrlKey || metaKey)
}
