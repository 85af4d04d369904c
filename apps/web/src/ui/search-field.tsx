import { Search, X } from 'lucide-react'
import { type ComponentProps, useRef } from 'react'
import { classNames } from './class-names.ts'
import { controlClass } from './field.tsx'
import { isComposing } from './is-composing.ts'

/** Search box with a magnifier and, unless it's empty, a "clear" button; Escape clears, too. */
export function SearchField({ label, clearLabel, value, onValueChange, className, ...input }: SearchFieldProps) {
  const box = useRef<HTMLInputElement>(null)
  const clear = () => {
    onValueChange('')
    box.current?.focus()
  }
  return (
    <div className={classNames('relative min-w-0', className)}>
      <Search aria-hidden className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted" />
      <input
        {...input}
        ref={box}
        type="search"
        aria-label={label}
        value={value}
        data-takes-escape={value === '' ? undefined : ''}
        onChange={(event) => onValueChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '' || isComposing(event.nativeEvent)) return
          event.preventDefault()
          event.stopPropagation()
          clear()
        }}
        className={classNames(
          controlClass,
          'h-10 touch-target pl-9 text-ellipsis [&::-webkit-search-cancel-button]:hidden',
          value === '' ? 'pr-3' : 'pr-9',
        )}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label={clearLabel}
          onClick={clear}
          className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-control text-muted hover:text-text focus-visible:-outline-offset-2 pointer-coarse:w-11"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </div>
  )
}

export type SearchFieldProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type' | 'ref' | 'aria-label'> & {
  label: string
  clearLabel: string
  value: string
  onValueChange: (value: string) => void
}
