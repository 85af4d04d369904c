/** Goes where the service worker says that a notification leads which the person pressed, and tells it that it does. */
export function goOn({ data, ports: [port] }: MessageEvent, navigate: (path: string) => void): void {
  if (typeof data?.open !== 'string') return
  navigate(data.open)
  port?.postMessage(true)
}
