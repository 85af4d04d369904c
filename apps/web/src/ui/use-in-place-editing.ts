import { useEffect, useRef, useState } from 'react'

/** Something that is edited in its place: afterwards the focus returns to the button that led there, unless it has gone on. */
export function useInPlaceEditing() {
  const [isEditing, setIsEditing] = useState(false)
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
