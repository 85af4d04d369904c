import { useEffect, useRef, useState } from 'react'

/**
 * State of in-place editing: afterwards the focus returns to the button that started it, unless it's elsewhere by then.
 * `isBegun` is for edits that were started before the component was mounted.
 */
export function useInPlaceEditing(isBegun = false) {
  const [isEditing, setIsEditing] = useState(isBegun)
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
