import { SERVICE_WORKER } from './trusted-types.ts'

/** Registers the service worker, if the browser allows one: with it, the app can be installed and receive other apps' shares. */
export function startServiceWorker(): void {
  if (!('serviceWorker' in navigator)) return
  addEventListener('load', () => {
    navigator.serviceWorker
      .register(SERVICE_WORKER)
      .catch((error: unknown) => console.warn('Nothing can be shared with this page from other apps', error))
  })
}
