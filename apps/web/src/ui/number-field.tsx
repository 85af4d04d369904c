import { TextField, type TextFieldProps } from './text-field.tsx'

/** A number as typed, for `typedNumber`: an input of type number gives nothing for what is no number, like an empty one. */
export function NumberField(props: TextFieldProps) {
  return <TextField inputMode="numeric" autoComplete="off" {...props} />
}
