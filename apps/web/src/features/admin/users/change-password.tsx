import { useText } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { PasswordForm } from './password-form.tsx'

/** Sets a new password for the signed-in user; every other device and token then has to sign in again. */
export function ChangePassword() {
  const text = useText('users')
  const tellOfChange = () => {
    showToast({ tone: 'success', title: text('password.changed'), description: text('password.changedDetail') })
    // an account without a password now has one
    session.refresh().catch((error: unknown) => console.error('The account could not be fetched again', error))
  }
  return (
    <Card>
      <CardHeader title={text('password.title')} description={text('password.subtitle')} />
      <PasswordForm submitLabel={text('password.submit')} onChanged={tellOfChange} />
    </Card>
  )
}
