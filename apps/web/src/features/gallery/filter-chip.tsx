import { ChevronDown } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'

/** A choice as a chip: what is chosen is its text, the browser's own list opens from it, and it is lit when it leaves something out. */
export function FilterChip<Value extends string>({
  label,
  value,
  options,
  isOn,
  onValueChange,
}: FilterChipProps<Value>) {
  return (
    <span className="relative shrink-0">
      <select
        aria-label={label}
        title={label}
        value={value}
        onChange={(event) => onValueChange(event.target.value as Value)}
        className={classNames(
          'field-sizing-content h-9 max-w-44 min-w-0 touch-target cursor-pointer appearance-none truncate rounded-full border pr-8 pl-3.5 text-13 font-medium transition-colors',
          isOn
            ? 'border-accent bg-accent-soft text-accent-text'
            : 'border-border-float bg-control text-text shade-on-hover',
        )}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} className="bg-surface-overlay text-text">
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className={classNames(
          'pointer-events-none absolute inset-y-0 right-2.5 my-auto size-4',
          isOn ? 'text-accent-text' : 'text-muted',
        )}
      />
    </span>
  )
}

type FilterChipProps<Value extends string> = {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  /** True when a value other than "all" is selected. */
  isOn: boolean
  onValueChange: (value: Value) => void
}
