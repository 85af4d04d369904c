import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { controlClass, Field, type FieldProps } from './field.tsx'

/** Native select, which phones and screen readers support best. */
export function Select<Value extends string>({
  label,
  labelHidden,
  hint,
  error,
  className,
  id,
  options,
  onValueChange,
  ...select
}: SelectProps<Value>) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error} className={className} id={id}>
      {(control) => (
        <div className="relative">
          <select
            {...select}
            {...control}
            onChange={(event) => onValueChange(event.target.value as Value)}
            className={classNames(controlClass, 'h-10 touch-target appearance-none truncate pr-9')}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value} className="bg-surface-overlay text-text">
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute inset-y-0 right-3 my-auto size-4 text-muted"
          />
        </div>
      )}
    </Field>
  )
}

export type SelectProps<Value extends string> = FieldProps &
  Omit<ComponentProps<'select'>, keyof FieldProps | 'onChange' | 'value' | 'children'> & {
    options: readonly { value: Value; label: string }[]
    value: Value
    onValueChange: (value: Value) => void
  }
