import { useText } from '../../../lib/i18n/i18n.ts'
import { TextField } from '../../../ui/text-field.tsx'
import { type NumberField, numberFields } from './settings-form.ts'
import type { SettingsFields } from './use-settings-form.ts'

/** A whole number with its bounds; where it may be left empty, that means without end. */
export function NumberSetting({ fields, name }: { fields: SettingsFields; name: NumberField }) {
  const text = useText('settings-admin')
  const { path, min, max } = numberFields[name]
  return (
    <TextField
      label={text(`numbers.${name}.label`)}
      hint={text(`numbers.${name}.hint`)}
      type="number"
      inputMode="numeric"
      min={min}
      max={max}
      step={1}
      value={fields.form[name]}
      error={fields.errorOf(path)}
      onChange={(event) => fields.change({ [name]: event.target.value })}
    />
  )
}
