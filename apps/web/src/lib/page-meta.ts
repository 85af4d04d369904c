/** What the server wrote into the page; empty when it did not. */
function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content.trim() ?? ''
}

/** What the assistant is called in this installation. */
export function assistantName(): string {
  return readMeta('mira-assistant-name') || 'Mira'
}

/** Where the API is: its host, without the closing slash; empty for the page's own. */
export function apiBase(): string {
  return readMeta('mira-api-base').replace(/\/+$/, '')
}
