const KEY = 'oidc-sign-in'

/** State that the tab keeps during the sign-in at the provider, so that nobody else's sign-in can be completed here. */
export interface PendingSignIn {
  ticket: string
  /** Path to return to. */
  from: string | null
  /** True when a signed-in user links the provider to their account. */
  isLinking?: boolean
}

export function storePendingSignIn(pending: PendingSignIn): void {
  sessionStorage.setItem(KEY, JSON.stringify(pending))
}

/** The stored state; null when there is none. */
export function readPendingSignIn(): PendingSignIn | null {
  const stored = sessionStorage.getItem(KEY)
  try {
    return stored === null ? null : (JSON.parse(stored) as PendingSignIn)
  } catch {
    return null
  }
}

/** Reads and removes the stored state. */
export function takePendingSignIn(): PendingSignIn | null {
  const pending = readPendingSignIn()
  sessionStorage.removeItem(KEY)
  return pending
}
