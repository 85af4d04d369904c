import { useText } from '../lib/i18n.ts'
import { ConfirmProvider } from '../ui/confirm-dialog.tsx'
import { Toaster } from '../ui/toaster.tsx'
import { MissingPartNotice } from './missing-part-notice.tsx'
import { Router } from './router.tsx'

/** Everything: the screens and what lies around all of them. */
export function App() {
  const text = useText('app')
  return (
    <ConfirmProvider>
      <Router />
      <Toaster label={text('common.messages', { hotkey: '{hotkey}' })} closeLabel={text('common.close')} />
      <MissingPartNotice />
    </ConfirmProvider>
  )
}
