import { useEffect } from 'react'
import { assistantName } from './page-meta.ts'

/** Names the document after what is shown: "User Management · Mira". */
export function useTitle(title: string): void {
  useEffect(() => {
    const name = assistantName()
    document.title = title && title !== name ? `${title} · ${name}` : name
  }, [title])
}
