import { QueryClientProvider } from '@tanstack/react-query'
import { PrintPage } from '../features/chat/shares/print-page.tsx'
import { createQueryClient } from './query-client.ts'

const queryClient = createQueryClient()

/** A conversation on paper: nothing of the app is around it. */
export function PrintScreen() {
  return (
    <QueryClientProvider client={queryClient}>
      <PrintPage />
    </QueryClientProvider>
  )
}
