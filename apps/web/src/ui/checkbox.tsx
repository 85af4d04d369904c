import { Check, Minus } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

/** Checkbox; `indeterminate` shows a dash for a partial selection. `labelHidden` hides the label except from screen readers, for tables. */
export function Checkbox({
  label,
  labelHidden,
  description,
  indeterminate = false,
  onCheckedChange,
  className,
  ...input
}: CheckboxProps) {
  const id = useId()
  return (
    <label
      className={classNames(
        'inline-flex min-w-0 items-start align-middle gap-2.5 has-disabled:cursor-not-allowed has-disabled:opacity-55 not-has-disabled:cursor-pointer',
        !labelHidden && 'py-0.5 pointer-coarse:min-h-11',
        !description && 'pointer-coarse:items-center',
        className,
      )}
    >
      <span className="relative grid size-4.5 shrink-0 place-items-center touch-area">
        <input
          {...input}
          type="checkbox"
          aria-labelledby={`${id}-label`}
          aria-describedby={description ? `${id}-description` : undefined}
          ref={(element) => {
            if (element) element.indeterminate = indeterminate
          }}
          onChange={(event) => onCheckedChange(event.target.checked)}
          className="peer size-4.5 cursor-[inherit] appearance-none rounded-[0.3125rem] border border-border-strong bg-field transition-colors checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent hover:border-muted checked:hover:border-accent"
        />
        <Check
          aria-hidden
          strokeWidth={3}
          className="pointer-events-none absolute hidden size-3.5 text-on-accent peer-checked:block peer-indeterminate:hidden"
        />
        <Minus
          aria-hidden
          strokeWidth={3}
          className="pointer-events-none absolute hidden size-3.5 text-on-accent peer-indeterminate:block"
        />
      </span>
      <span className={labelHidden ? 'sr-only' : 'min-w-0 text-14 leading-[1.125rem]'}>
        <span id={`${id}-label`}>{label}</span>
        {description && (
          <span id={`${id}-description`} className="mt-1 block text-13 text-muted">
            {description}
          </span>
        )}
      </span>
    </label>
  )
}

export type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'onChange' | 'ref'> & {
  label: ReactNode
  labelHidden?: boolean
  description?: ReactNode
  indeterminate?: boolean
  onCheckedChange: (isChecked: boolean) => void
}
