import { useEffect, useRef, useState } from 'react'

/**
 * State of in-place editing. Afterwards the focus returns to the button that started it, unless another element has it.
 * `startsEditing` is for edits that were started before the component was mounted.
 */
export function useInPlaceEditing(startsEditing = false) {
  const [isEditing, setIsEditing] = useState(startsEditing)
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useEffect(() => {
    if (wasEditing.current && document.activeElement === document.body) button.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  return {
    isEditing,
    /** Ref of the button that starts editing. */
    button,
    begin: () => setIsEditing(true),
    end: () => setIsEditing(false),
  }
}
