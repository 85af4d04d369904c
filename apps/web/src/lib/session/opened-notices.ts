/** Handles the service worker's message about a clicked notification: opens its link and confirms that. */
export function openNotification({ data, ports: [port] }: MessageEvent, navigate: (path: string) => void): void {
  if (typeof data?.open !== 'string') return
  navigate(data.open)
  port?.postMessage(true)
}
