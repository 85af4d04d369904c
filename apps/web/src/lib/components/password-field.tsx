import { PasswordField as Field, type PasswordFieldProps as FieldProps } from '../../ui/password-field.tsx'
import { useText } from '../i18n/i18n.ts'

/** Password field whose button has translated labels. */
export function PasswordField(props: PasswordFieldProps) {
  const text = useText('app')
  return <Field {...props} showLabel={text('common.showPassword')} hideLabel={text('common.hidePassword')} />
}

type PasswordFieldProps = Omit<FieldProps, 'showLabel' | 'hideLabel'>
