// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { Route, Routes } from 'react-router-dom'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { storePendingSignIn } from '../lib/session/pending-sign-in.ts'
import { OidcReturnGate } from './route-guard.tsx'

vi.mock('../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useSession: () => ({ status: 'signed-in', user: { role: 'user' } }),
}))
beforeEach(() => sessionStorage.clear())

const returnFromProvider = () =>
  renderPart(
    <Routes>
      <Route path="/" element={<OidcReturnGate>Back from the provider</OidcReturnGate>} />
      <Route path="*" element="Dashboard" />
    </Routes>,
  )

it('lets a signed-in user return from the provider who links it', async () => {
  storePendingSignIn({ ticket: 'ticket', from: null, isLinking: true })
  await returnFromProvider()
  expect(screen.getByText('Back from the provider')).toBeTruthy()
})

it('leads a signed-in user who doesn’t link the provider to the dashboard', async () => {
  storePendingSignIn({ ticket: 'ticket', from: null })
  await returnFromProvider()
  expect(screen.getByText('Dashboard')).toBeTruthy()
})
