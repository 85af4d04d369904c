import type { SignInWays } from '@mira/shared'
import { KeyRound, LogIn } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../../../lib/api/client.ts'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { session } from '../../../../lib/session/session.ts'
import { Banner } from '../../../../ui/banner.tsx'
import { Button } from '../../../../ui/button.tsx'
import { isCancelled, offerPasskeys, signInByPasskey } from './passkey-ways.ts'

const KEY = 'oidc-sign-in'

/** State that the tab keeps during the sign-in at the provider. */
interface PendingSignIn {
  ticket: string
  /** Path to return to. */
  from: string | null
}

/**
 * Redirects to the provider; keeps the ticket in this tab, so that nobody else's sign-in can be completed here.
 * @param invitation secret of the invitation that the sign-in accepts.
 */
export async function goToProvider({ from, invitation }: { from?: string; invitation?: string }): Promise<void> {
  const { url, ticket } = await call('POST /auth/oidc/start', { json: { invitation } })
  const pending: PendingSignIn = { ticket, from: from ?? null }
  sessionStorage.setItem(KEY, JSON.stringify(pending))
  window.location.assign(url)
  // never resolves, as the page is being left
  await new Promise(() => {})
}

/** Reads and removes the stored state; null when there is none. */
export function takePendingSignIn(): PendingSignIn | null {
  const stored = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  try {
    return stored === null ? null : (JSON.parse(stored) as PendingSignIn)
  } catch {
    return null
  }
}

/** Signs in with the query of the provider's redirect. */
export async function returnFromProvider(ticket: string, query: string): Promise<void> {
  await session.accept(await call('POST /auth/oidc/finish', { json: { ticket, query } }))
}

/** Sign-in without a password: by passkey, or the connected provider. */
export function OtherWays({ from }: { from: string | undefined }) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const { ways } = useSignInWays()
  const [busy, setBusy] = useState<'passkey' | 'oidc' | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const hasPasskeys = ways?.passkeys === true && 'PublicKeyCredential' in window

  useEffect(() => {
    if (!hasPasskeys) return
    const stop = new AbortController()
    offerPasskeys(stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted || isCancelled(error)) return
      console.error('The sign-in with an offered passkey failed', error)
      setFailure(error)
    })
    return () => stop.abort()
  }, [hasPasskeys])

  if (ways === null || (!hasPasskeys && ways.oidc === null)) return null

  const go = async (way: 'passkey' | 'oidc', work: () => Promise<void>) => {
    setBusy(way)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      setBusy(null)
      if (isCancelled(error)) return
      console.error('The sign-in failed', error)
      setFailure(error)
    }
  }

  return (
    <div className="mt-5 flex flex-col gap-3">
      <p className="flex items-center gap-3 text-13 text-muted before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
        {text('ways.or')}
      </p>
      {failure !== null && <Banner tone="error">{errorText(failure, text('ways.failed'))}</Banner>}
      {hasPasskeys && (
        <Button
          size="lg"
          icon={<KeyRound aria-hidden />}
          loading={busy === 'passkey'}
          disabled={busy !== null}
          onClick={() => void go('passkey', signInByPasskey)}
        >
          {text('ways.passkey')}
        </Button>
      )}
      {ways.oidc && (
        <Button
          size="lg"
          icon={<LogIn aria-hidden />}
          loading={busy === 'oidc'}
          disabled={busy !== null}
          onClick={() => void go('oidc', () => goToProvider({ from }))}
        >
          <span className="truncate">{text('ways.oidc', { name: ways.oidc.name })}</span>
        </Button>
      )}
      {!ways.password && <p className="text-center text-13 text-muted">{text('ways.passwordsOff')}</p>}
    </div>
  )
}

/** Ways to sign in; null until they're known. `retry` is null unless they couldn't be fetched. */
export function useSignInWays(): { ways: SignInWays | null; retry: (() => void) | null } {
  const [ways, setWays] = useState<SignInWays | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    if (hasFailed) return
    const stop = new AbortController()
    call('GET /config', { signal: stop.signal })
      .then(({ sign_in }) => sign_in)
      .then(setWays, (error: unknown) => {
        if (stop.signal.aborted) return
        console.error('Failed to load the sign-in methods', error)
        setHasFailed(true)
      })
    return () => stop.abort()
  }, [hasFailed])
  return { ways, retry: hasFailed ? () => setHasFailed(false) : null }
}
