import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

/** Radio group whose options are cards with icons. */
export function ChoiceCards<Value extends string>({
  label,
  labelHidden,
  choices,
  value,
  onValueChange,
  className,
}: ChoiceCardsProps<Value>) {
  const name = useId()
  return (
    <fieldset className={classNames('min-w-0', className)}>
      <legend className={labelHidden ? 'sr-only' : 'mb-1.5 text-13 font-medium'}>{label}</legend>
      <div className="grid grid-cols-1 gap-3 sm:auto-cols-fr sm:grid-flow-col">
        {choices.map((choice) => (
          <label
            key={choice.value}
            className={classNames(
              'relative flex min-h-11 min-w-0 cursor-pointer items-center gap-3 rounded-card border bg-control p-3 pr-10 transition-colors',
              'border-border-float hover:border-border-strong has-checked:border-accent has-checked:bg-accent-soft',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
            )}
          >
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onValueChange(choice.value)}
              aria-labelledby={`${name}-${choice.value}`}
              aria-describedby={choice.description ? `${name}-${choice.value}-description` : undefined}
              className="peer absolute inset-0 z-1 cursor-pointer appearance-none outline-none"
            />
            {choice.icon && (
              <span
                aria-hidden
                className="grid size-9 shrink-0 place-items-center rounded-control bg-pressed text-muted peer-checked:bg-accent peer-checked:text-on-accent [&_svg]:size-4.5"
              >
                {choice.icon}
              </span>
            )}
            <span className="min-w-0">
              <span id={`${name}-${choice.value}`} className="block text-14 font-medium">
                {choice.label}
              </span>
              {choice.description && (
                <span id={`${name}-${choice.value}-description`} className="block text-13 text-muted">
                  {choice.description}
                </span>
              )}
            </span>
            <Check aria-hidden className="absolute right-3 hidden size-4.5 text-accent-text peer-checked:block" />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export type ChoiceCardsProps<Value extends string> = {
  label: string
  labelHidden?: boolean
  choices: readonly { value: Value; label: string; description?: string; icon?: ReactNode }[]
  value: Value
  onValueChange: (value: Value) => void
  className?: string
}
