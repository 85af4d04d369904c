import { Checkbox } from './checkbox.tsx'
import { FieldGroup, type FieldGroupProps } from './field-group.tsx'

/** Checkboxes of which any number may be checked, in a frame with their name. */
export function CheckboxGroup<Value extends string>({
  options,
  chosen,
  onChange,
  ...group
}: CheckboxGroupProps<Value>) {
  const values = options.map(({ value }) => value)
  return (
    <FieldGroup {...group}>
      {options.map(({ value, label, description }) => (
        <Checkbox
          key={value}
          label={label}
          description={description}
          checked={chosen.includes(value)}
          onCheckedChange={(isOn) => onChange(values.filter((one) => (one === value ? isOn : chosen.includes(one))))}
        />
      ))}
    </FieldGroup>
  )
}

export type CheckboxGroupProps<Value extends string> = Omit<FieldGroupProps, 'children'> & {
  options: readonly { value: Value; label: string; description?: string }[]
  chosen: readonly Value[]
  onChange: (chosen: Value[]) => void
}
