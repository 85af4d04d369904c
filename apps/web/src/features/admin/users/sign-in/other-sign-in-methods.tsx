import type { OidcStart, SignInWays } from '@mira/shared'
import { KeyRound, LogIn } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../../../lib/api/client.ts'
import { pause } from '../../../../lib/browser/pause.ts'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { type PendingSignIn, storePendingSignIn } from '../../../../lib/session/pending-sign-in.ts'
import { session } from '../../../../lib/session/session.ts'
import { Banner } from '../../../../ui/banner.tsx'
import { Button } from '../../../../ui/button.tsx'
import { isCancelled, offerPasskeys, signInWithPasskey } from './passkey-ways.ts'

/**
 * Redirects to the provider; keeps the ticket in this tab, so that nobody else's sign-in can be completed here.
 * @param invitation secret of the invitation that the sign-in accepts.
 */
export async function goToProvider({ from, invitation }: { from?: string; invitation?: string }): Promise<void> {
  await leaveForProvider(await call('POST /auth/oidc/start', { json: { invitation } }), { from: from ?? null })
}

/** Redirects to the provider to link it to the user's account. */
export async function linkProvider(from: string, password: string | undefined): Promise<void> {
  const start = await call('POST /auth/oidc/link', { json: { current_password: password } })
  await leaveForProvider(start, { from, isLinking: true })
}

/** Time after which the page counts as kept: the user chose to stay, or came back to it. */
const LEAVE_MS = 3_000

async function leaveForProvider({ url, ticket }: OidcStart, pending: Omit<PendingSignIn, 'ticket'>): Promise<void> {
  storePendingSignIn({ ticket, ...pending })
  window.location.assign(url)
  await pause(LEAVE_MS)
}

/** Signs in with the query of the provider's redirect. */
export async function returnFromProvider(ticket: string, query: string): Promise<void> {
  await session.signInWithToken(await call('POST /auth/oidc/finish', { json: { ticket, query } }))
}

/** Sign-in without a password: with a passkey or the configured provider. */
export function OtherSignInMethods({ from }: { from: string | undefined }) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const { methods } = useSignInMethods()
  const [busy, setBusy] = useState<'passkey' | 'oidc' | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const hasPasskeys = methods?.passkeys === true && 'PublicKeyCredential' in window

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

  if (methods === null || (!hasPasskeys && methods.oidc === null)) return null

  const go = async (way: 'passkey' | 'oidc', work: () => Promise<void>) => {
    setBusy(way)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      if (!isCancelled(error)) {
        console.error('The sign-in failed', error)
        setFailure(error)
      }
    }
    setBusy(null)
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
          onClick={() => void go('passkey', signInWithPasskey)}
        >
          {text('ways.passkey')}
        </Button>
      )}
      {methods.oidc && (
        <Button
          size="lg"
          icon={<LogIn aria-hidden />}
          loading={busy === 'oidc'}
          disabled={busy !== null}
          onClick={() => void go('oidc', () => goToProvider({ from }))}
        >
          <span className="truncate">{text('ways.oidc', { name: methods.oidc.name })}</span>
        </Button>
      )}
      {!methods.password && <p className="text-center text-13 text-muted">{text('ways.passwordsOff')}</p>}
    </div>
  )
}

/** Available sign-in methods; null until they're loaded. `retry` is null unless loading failed. */
export function useSignInMethods(): { methods: SignInWays | null; retry: (() => void) | null } {
  const [methods, setMethods] = useState<SignInWays | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    if (hasFailed) return
    const stop = new AbortController()
    call('GET /config', { signal: stop.signal })
      .then(({ sign_in }) => sign_in)
      .then(setMethods, (error: unknown) => {
        if (stop.signal.aborted) return
        console.error('Failed to load the sign-in methods', error)
        setHasFailed(true)
      })
    return () => stop.abort()
  }, [hasFailed])
  return { methods, retry: hasFailed ? () => setHasFailed(false) : null }
}
