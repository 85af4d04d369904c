import { Checkbox } from './checkbox.tsx'
import { FieldGroup, type FieldGroupProps } from './field-group.tsx'

/** Labelled group of checkboxes. */
export function CheckboxGroup<Value extends string>({
  options,
  selected,
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
          checked={selected.includes(value)}
          onCheckedChange={(isOn) =>
            onChange(values.filter((other) => (other === value ? isOn : selected.includes(other))))
          }
        />
      ))}
    </FieldGroup>
  )
}

export type CheckboxGroupProps<Value extends string> = Omit<FieldGroupProps, 'children'> & {
  options: readonly { value: Value; label: string; description?: string }[]
  selected: readonly Value[]
  onChange: (selected: Value[]) => void
}
