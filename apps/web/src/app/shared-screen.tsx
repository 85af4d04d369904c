import { QueryClientProvider } from '@tanstack/react-query'
import { SharedPage } from '../features/chat/shares/shared-page.tsx'
import { createQueryClient } from './query-client.ts'

const queryClient = createQueryClient()

/** What a link shares, for everybody who has it: nothing around it needs an account. */
export function SharedScreen() {
  return (
    <QueryClientProvider client={queryClient}>
      <SharedPage />
    </QueryClientProvider>
  )
}
