import { QueryClientProvider } from '@tanstack/react-query'
import { ConnectPage } from '../features/admin/users/oauth/connect-page.tsx'
import { createQueryClient } from './query-client.ts'
import { ScreenFrame } from './screen-frame.tsx'

const queryClient = createQueryClient()

/** Consent screen for programs that request access; standalone, because users come from elsewhere and return there. */
export function ConnectScreen() {
  return (
    <QueryClientProvider client={queryClient}>
      <ScreenFrame title="connect" isBare>
        <ConnectPage />
      </ScreenFrame>
    </QueryClientProvider>
  )
}
