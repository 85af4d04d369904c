import { FirstPasswordPage } from '../features/admin/users/sign-in/first-password-page.tsx'
import { StandaloneQueries } from './query-client.tsx'
import { ScreenFrame } from './screen-frame.tsx'

/** Replaces every screen until the generated password has been changed. */
export function FirstPasswordScreen() {
  return (
    <StandaloneQueries>
      <ScreenFrame title="login" isBare>
        <FirstPasswordPage />
      </ScreenFrame>
    </StandaloneQueries>
  )
}
