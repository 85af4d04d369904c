import { TextField, type TextFieldProps } from './text-field.tsx'

/** Number as typed, for `typedNumber`: `type="number"` can't tell invalid input from an empty field. */
export function NumberField(props: TextFieldProps) {
  return <TextField inputMode="numeric" autoComplete="off" {...props} />
}
