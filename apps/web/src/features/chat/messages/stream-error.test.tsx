// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { StreamError } from './stream-error.tsx'

const user = vi.hoisted(() => ({ role: 'user' }))
vi.mock('../../../lib/session.ts', () => ({ useUser: () => user }))

const refused = 'The connection "One" refuses its key.'

it('leads an administrator to where models are connected, and nobody else', async () => {
  const { show } = await renderPart(<StreamError error={refused} code="model_key_refused" isSpaced={false} />)
  expect(screen.getByText(/The connection "One" refuses its key/)).toBeTruthy()
  expect(screen.queryByRole('link')).toBeNull()
  user.role = 'admin'
  show(<StreamError error={refused} code="model_key_refused" isSpaced />)
  expect(screen.getByRole('link').getAttribute('href')).toBe('/admin?tab=settings')
  show(<StreamError error="This is too long." code="context_too_long" isSpaced />)
  expect(screen.queryByRole('link')).toBeNull()
})
