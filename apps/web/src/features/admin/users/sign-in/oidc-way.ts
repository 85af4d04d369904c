import { call } from '../../../../lib/api/client.ts'
import { session } from '../../../../lib/session/session.ts'

const KEY = 'oidc-sign-in'

/** State that the tab keeps during the sign-in at the provider. */
interface Kept {
  ticket: string
  /** Path to return to. */
  from: string | null
}

/** Leaves for the provider; the ticket stays in this tab, so that nobody else's sign-in ends here. */
export async function goToProvider(from: string | undefined): Promise<void> {
  const { url, ticket } = await call('POST /auth/oidc/start')
  const pending: Kept = { ticket, from: from ?? null }
  sessionStorage.setItem(KEY, JSON.stringify(pending))
  window.location.assign(url)
  // the page is about to go: nothing more happens on it
  await new Promise(() => {})
}

/** Takes what this tab kept; null when it kept nothing. */
export function takeKept(): Kept | null {
  const stored = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  try {
    return stored === null ? null : (JSON.parse(stored) as Kept)
  } catch {
    return null
  }
}

/** Signs in with what the provider sent back in the address. */
export async function returnFromProvider(ticket: string, query: string): Promise<void> {
  await session.accept(await call('POST /auth/oidc/finish', { json: { ticket, query } }))
}
