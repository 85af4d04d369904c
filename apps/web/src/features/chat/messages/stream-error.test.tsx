// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { watchLanguage } from '../../../lib/i18n/i18n.ts'
import { settingsStore } from '../../../lib/session/settings.ts'
import { StreamError } from './stream-error.tsx'

const user = vi.hoisted(() => ({ role: 'user' }))
vi.mock('../../../lib/session/session.ts', () => ({
  useUser: () => user,
  useSession: () => ({ status: 'signed-in', user }),
}))

const keyError = 'The connection “One” refuses its key.'

it('links only administrators to the settings, and only for errors of the connection', async () => {
  const { rerender } = await renderPart(
    <StreamError error={keyError} code="model_key_refused" sentences={undefined} isSpaced={false} />,
  )
  expect(screen.getByText(/The connection “One” refuses its key/)).toBeTruthy()
  expect(screen.queryByRole('link')).toBeNull()
  user.role = 'admin'
  rerender(<StreamError error={keyError} code="model_key_refused" sentences={undefined} isSpaced />)
  expect(screen.getByRole('link').getAttribute('href')).toBe('/admin?tab=settings')
  rerender(<StreamError error="This is too long." code="context_too_long" sentences={undefined} isSpaced />)
  expect(screen.queryByRole('link')).toBeNull()
})

it('names the failed connection to other users in their language', async () => {
  user.role = 'user'
  const { rerender } = await renderPart(
    <StreamError error={keyError} code="model_key_refused" sentences={undefined} isSpaced />,
  )
  settingsStore.set({ ...settingsStore.get(), language: 'de' })
  await act(watchLanguage)
  const sentences = [{ code: 'connection_key_refused', params: { name: 'One' } }]
  rerender(<StreamError error={keyError} code="model_key_refused" sentences={sentences} isSpaced />)
  expect(screen.getByText(/Die Verbindung „One“ weist ihren Schlüssel zurück/)).toBeTruthy()
})
