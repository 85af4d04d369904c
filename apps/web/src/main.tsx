import './main.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { followAccountPreferences } from './lib/account-preferences.ts'
import { followLanguage } from './lib/i18n.ts'
import { startServiceWorker } from './lib/service-worker.ts'
import { session } from './lib/session.ts'
import { followSettings } from './lib/settings.ts'
import { followTheme } from './lib/theme.ts'
import { setTrustedTypes } from './lib/trusted-types.ts'
import { applyStyleNonce } from './ui/style-nonce.ts'

setTrustedTypes()
applyStyleNonce()
followTheme()
followSettings()
followAccountPreferences()
session.start()
if (import.meta.env.PROD) startServiceWorker()

void followLanguage().then(() => {
  createRoot(document.getElementById('root') as HTMLElement, {
    // React's own error only says that it recovered
    onRecoverableError: (error) => reportError((error as Error).cause ?? error),
  }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
})
