import { QueryClientProvider } from '@tanstack/react-query'
import { SharedPage } from '../features/chat/shares/shared-page.tsx'
import { createQueryClient } from './query-client.ts'

const queryClient = createQueryClient()

/** Contents of a shared link; needs no account. */
export function SharedScreen() {
  return (
    <QueryClientProvider client={queryClient}>
      <SharedPage />
    </QueryClientProvider>
  )
}
