import { SERVICE_WORKER } from './trusted-types.ts'

/** Lets the app be installed and take what other apps share; a browser that has no service workers, or forbids them, goes without. */
export function startServiceWorker(): void {
  if (!('serviceWorker' in navigator)) return
  addEventListener('load', () => {
    navigator.serviceWorker
      .register(SERVICE_WORKER)
      .catch((error: unknown) => console.warn('Nothing can be shared with this page from other apps', error))
  })
}
