import { QueryClientProvider } from '@tanstack/react-query'
import { FirstPasswordPage } from '../features/admin/users/sign-in/first-password-page.tsx'
import { createQueryClient } from './query-client.ts'
import { ScreenFrame } from './screen-frame.tsx'

const queryClient = createQueryClient()

/** Replaces every screen until the generated password has been changed. */
export function FirstPasswordScreen() {
  return (
    <QueryClientProvider client={queryClient}>
      <ScreenFrame title="login" isBare>
        <FirstPasswordPage />
      </ScreenFrame>
    </QueryClientProvider>
  )
}
