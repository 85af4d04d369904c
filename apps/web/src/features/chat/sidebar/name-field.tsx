import { SESSION_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { type FocusEvent, type KeyboardEvent, useEffect, useRef } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { controlClass } from '../../../ui/field.tsx'

/** A field in the place of a name: Enter or leaving it keeps what was written, Escape does not. */
export function NameField({ label, name, onDone, className }: NameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)

  useEffect(() => field.current?.select(), [])

  const finish = (value: string | null, isByKey: boolean) => {
    if (isDone.current) return
    isDone.current = true
    const next = value?.trim() ?? ''
    onDone(next === '' || next === name ? null : next, isByKey)
  }
  const handleKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    finish(event.key === 'Enter' ? event.currentTarget.value : null, true)
  }
  return (
    <input
      ref={field}
      // biome-ignore lint/a11y/noAutofocus: the person asked for this field a moment ago
      autoFocus
      aria-label={label}
      defaultValue={name}
      maxLength={SESSION_NAME_MAX_CHARACTERS}
      onKeyDown={handleKey}
      onBlur={(event: FocusEvent<HTMLInputElement>) => finish(event.currentTarget.value, false)}
      className={classNames(controlClass, className)}
    />
  )
}

export type NameFieldProps = {
  label: string
  name: string
  /** Called once: with the new name, or null when it stays; by key when the focus has no other place to go. */
  onDone: (name: string | null, isByKey: boolean) => void
  className?: string
}
