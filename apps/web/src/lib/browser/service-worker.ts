import { SERVICE_WORKER } from './trusted-types.ts'

/** Registers the service worker, with which the app can be installed and receive shares from other apps, where browsers allow one. */
export function startServiceWorker(): void {
  if (!('serviceWorker' in navigator)) return
  addEventListener('load', () => {
    navigator.serviceWorker
      .register(SERVICE_WORKER)
      .catch((error: unknown) => console.warn('Nothing can be shared with this page from other apps', error))
  })
}
