import { useEffect, useRef, useState } from 'react'

/**
 * Something that is edited in its place: afterwards the focus returns to the button that led there, unless it has gone on.
 * `isBegun` says that it was begun before the component was on the page.
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
    /** For the button that begins it. */
    button,
    begin: () => setIsEditing(true),
    end: () => setIsEditing(false),
  }
}
