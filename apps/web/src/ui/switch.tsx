import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

/** Switch with its label at the left. */
export function Switch({ label, labelHidden, description, onCheckedChange, className, ...input }: SwitchProps) {
  const id = useId()
  return (
    <label
      className={classNames(
        'flex min-w-0 items-center justify-between gap-4 has-disabled:cursor-not-allowed has-disabled:opacity-55 not-has-disabled:cursor-pointer pointer-coarse:min-h-11',
        className,
      )}
    >
      <span className={labelHidden ? 'sr-only' : 'min-w-0 text-14'}>
        <span id={`${id}-label`}>{label}</span>
        {description && (
          <span id={`${id}-description`} className="mt-0.5 block text-13 text-muted">
            {description}
          </span>
        )}
      </span>
      <span className="relative inline-flex h-5 w-9 shrink-0 touch-area">
        <input
          {...input}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its own state
          role="switch"
          aria-labelledby={`${id}-label`}
          aria-describedby={description ? `${id}-description` : undefined}
          onChange={(event) => onCheckedChange(event.target.checked)}
          className="peer h-5 w-9 cursor-[inherit] appearance-none rounded-full bg-border-strong transition-colors checked:bg-accent"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-0.5 size-4 rounded-full bg-on-accent transition-transform peer-checked:translate-x-4"
        />
      </span>
    </label>
  )
}

export type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'role' | 'onChange'> & {
  label: ReactNode
  labelHidden?: boolean
  description?: ReactNode
  onCheckedChange: (isChecked: boolean) => void
}
