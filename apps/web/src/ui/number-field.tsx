import { TextField, type TextFieldProps } from './text-field.tsx'

/** Text field for a number, whose text `typedNumber` parses. With `type="number"`, invalid input couldn't be told from an empty field. */
export function NumberField(props: TextFieldProps) {
  return <TextField inputMode="numeric" autoComplete="off" {...props} />
}
