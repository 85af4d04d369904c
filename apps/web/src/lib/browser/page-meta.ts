import { useEffect } from 'react'

/** Content of a meta element written by the server; empty when absent. */
function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content.trim() ?? ''
}

/** The assistant's name in this installation; `Mira` by default. */
export function assistantName(): string {
  return readMeta('mira-assistant-name') || 'Mira'
}

/** Origin of the API without the trailing slash; empty for the page's own. */
export function apiBase(): string {
  return readMeta('mira-api-base').replace(/\/+$/, '')
}

/** Sets the document title, such as "User Management · Mira". */
export function useTitle(title: string): void {
  useEffect(() => {
    const name = assistantName()
    document.title = title && title !== name ? `${title} · ${name}` : name
  }, [title])
}
