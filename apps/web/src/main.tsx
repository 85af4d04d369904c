import './main.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { tolerateMovedNodes } from './lib/browser/moved-nodes.ts'
import { startServiceWorker } from './lib/browser/service-worker.ts'
import { watchTheme } from './lib/browser/theme.ts'
import { setTrustedTypes } from './lib/browser/trusted-types.ts'
import { watchLanguage } from './lib/i18n/i18n.ts'
import { watchAccountPreferences } from './lib/session/account-preferences.ts'
import { session } from './lib/session/session.ts'
import { watchSettings } from './lib/session/settings.ts'
import { applyStyleNonce } from './ui/style-nonce.ts'

setTrustedTypes()
tolerateMovedNodes()
applyStyleNonce()
// each of the watch* functions applies a stored choice now and at every change
watchTheme()
watchSettings()
watchAccountPreferences()
session.start()
if (import.meta.env.PROD) startServiceWorker()

void watchLanguage().then(() => {
  createRoot(document.getElementById('root') as HTMLElement, {
    // React's own error only says that it recovered
    onRecoverableError: (error) => reportError((error as Error).cause ?? error),
  }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
})
