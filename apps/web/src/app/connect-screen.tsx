import { QueryClientProvider } from '@tanstack/react-query'
import { ConnectPage } from '../features/users/oauth/connect-page.tsx'
import { createQueryClient } from './query-client.ts'
import { ScreenFrame } from './screen-frame.tsx'

const queryClient = createQueryClient()

/** Where programs send people to ask for access: a screen by itself, because they came from elsewhere and go back there. */
export function ConnectScreen() {
  return (
    <QueryClientProvider client={queryClient}>
      <ScreenFrame title="connect" isBare>
        <ConnectPage />
      </ScreenFrame>
    </QueryClientProvider>
  )
}
