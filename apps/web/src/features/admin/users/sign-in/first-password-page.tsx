import { useText } from '../../../../lib/i18n/i18n.ts'
import { session } from '../../../../lib/session/session.ts'
import { useSignOut } from '../../../../lib/session/unsent-work.ts'
import { Button } from '../../../../ui/button.tsx'
import { PasswordForm } from '../password-form.tsx'
import { SignInLayout } from './sign-in-layout.tsx'

/** First page after signing in with a generated password: the user sets their own. */
export function FirstPasswordPage() {
  const text = useText('sign-in')
  const appText = useText('app')
  const signOut = useSignOut()
  return (
    <SignInLayout title={text('first.title')} subtitle={text('first.text')}>
      <PasswordForm
        submitLabel={text('first.submit')}
        onChanged={() => {
          session.refresh().catch((error: unknown) => {
            console.error('Failed to refetch the account', error)
            window.location.reload()
          })
        }}
      />
      <Button variant="ghost" size="sm" className="mt-4" onClick={() => void signOut()}>
        {appText('nav.signOut')}
      </Button>
    </SignInLayout>
  )
}
