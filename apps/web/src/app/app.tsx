import { QueryClientProvider } from '@tanstack/react-query'
import { useText } from '../lib/i18n.ts'
import { ConfirmProvider } from '../ui/confirm-dialog.tsx'
import { Toaster } from '../ui/toaster.tsx'
import { createQueryClient } from './query-client.ts'
import { Router } from './router.tsx'

const queryClient = createQueryClient()

/** Everything: the screens and what lies around all of them. */
export function App() {
  const text = useText('app')
  return (
    <QueryClientProvider client={queryClient}>
      <ConfirmProvider>
        <Router />
      </ConfirmProvider>
      <Toaster label={text('common.messages', { hotkey: '{hotkey}' })} closeLabel={text('common.close')} />
    </QueryClientProvider>
  )
}
