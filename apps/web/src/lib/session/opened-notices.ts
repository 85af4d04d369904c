/** Follows the link of a clicked notification, on a message of the service worker, and confirms it. */
export function openNotice({ data, ports: [port] }: MessageEvent, navigate: (path: string) => void): void {
  if (typeof data?.open !== 'string') return
  navigate(data.open)
  port?.postMessage(true)
}
