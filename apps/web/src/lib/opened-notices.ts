let goTo: ((path: string) => void) | undefined

/** Goes where the service worker says that a notification leads which the person pressed, and tells it that it does. */
export function followOpened(navigate: (path: string) => void): void {
  const isFirst = goTo === undefined
  goTo = navigate
  if (!isFirst || !('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data, ports: [port] }) => {
    if (typeof data?.open !== 'string') return
    goTo?.(data.open)
    port?.postMessage(true)
  })
}
