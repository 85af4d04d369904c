// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { Navigate, Route, Routes, useLocation } from 'react-router-dom'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../../test/render-part.tsx'
import { route } from '../../../../../test/routes.ts'
import { OidcReturnGate } from '../../../../app/route-guard.tsx'
import { ApiError } from '../../../../lib/api/client.ts'
import { loadTexts } from '../../../../lib/i18n/i18n.ts'
import { paths } from '../../../../lib/session/paths.ts'
import { storePendingSignIn } from '../../../../lib/session/pending-sign-in.ts'
import { session } from '../../../../lib/session/session.ts'
import { storeToken, tokenStore } from '../../../../lib/session/token.ts'
import { currentToasts } from '../../../../ui/show-toast.ts'
import { OidcReturnPage } from './oidc-return-page.tsx'

const from = '/dashboard?tab=settings#access'
const refusal = 'Signing in with your provider failed. Start again.'

beforeEach(async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  await loadTexts('sign-in', 'errors')
  route('GET /auth/me').mockResolvedValue({ id: 'me', role: 'user' } as MeJson)
  storeToken('before')
  session.start()
  await vi.waitFor(() => expect(session.state.get().status).toBe('signed-in'))
})

function Address() {
  const { pathname, search, hash } = useLocation()
  return pathname + search + hash
}

/** Returns from the provider, where a signed-in user links it. */
async function returnToPage() {
  storePendingSignIn({ ticket: 'ticket', from, isLinking: true })
  return renderPart(
    <Routes>
      <Route path="/" element={<Navigate to={`${paths.oidcReturn}?code=1`} replace />} />
      <Route
        path={paths.oidcReturn}
        element={
          <OidcReturnGate>
            <OidcReturnPage />
          </OidcReturnGate>
        }
      />
      <Route path="*" element={<Address />} />
    </Routes>,
  )
}

it('keeps the session when linking fails', async () => {
  const finish = route('POST /auth/oidc/finish')
  finish.mockRejectedValue(new ApiError(403, { code: 'oidc_refused', detail: refusal }))
  await returnToPage()
  expect(await screen.findByText(refusal)).toBeTruthy()
  expect(finish).toHaveBeenCalledExactlyOnceWith({ json: { ticket: 'ticket', query: '?code=1' } })
  expect([session.state.get().status, tokenStore.get()]).toEqual(['signed-in', 'before'])
})

it('shows why linking failed, also when the session has ended', async () => {
  route('POST /auth/oidc/finish').mockRejectedValue(new ApiError(401, { code: 'oidc_refused', detail: refusal }))
  await returnToPage()
  expect(await screen.findByText(refusal)).toBeTruthy()
  expect(session.state.get().status).toBe('signed-out')
})

it('opens the page where linking began', async () => {
  route('POST /auth/oidc/finish').mockResolvedValue({ access_token: 'after', token_type: 'bearer', expires_in: 60 })
  await returnToPage()
  expect(await screen.findByText(from)).toBeTruthy()
  expect(tokenStore.get()).toBe('after')
  expect(currentToasts().map(({ title }) => title)).toEqual(['The sign-in provider is linked'])
})
