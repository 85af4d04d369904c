// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { StepReason } from './steps-panel.tsx'

const currentSession = { status: 'signed-in', user: { role: 'user' } }
vi.mock('../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useSession: () => currentSession,
  useUser: () => currentSession.user,
}))

const missing = 'No model that describes pictures is connected.'
const itemWith = (error: string) => ({
  processing_steps: [
    {
      ...{ name: 'caption' as const, status: 'skipped' as const, progress: 0, engine: null, error },
      error_told: [{ code: 'not_connected', params: { capability: 'caption', variable: 'VISION_MODEL' } }],
    },
  ],
})

it('tells every user what is missing, and administrators what to set, with a link', async () => {
  const { rerender } = await renderPart(
    <StepReason item={itemWith(`${missing} Ask an administrator.`)} step="caption" />,
  )
  expect(document.body.textContent).toBe(`${missing} Ask an administrator.`)
  expect(screen.queryByRole('link')).toBeNull()
  currentSession.user.role = 'admin'
  rerender(<StepReason key="admin" item={itemWith(`${missing} Set OPENAI_BASE_URL.`)} step="caption" />)
  expect(await screen.findByText(/Set OPENAI_BASE_URL/)).toBeTruthy()
  expect(screen.getByRole('link').getAttribute('href')).toBe('/admin?tab=settings')
})

it('shows the fallback text when a step has no reason', async () => {
  await renderPart(<StepReason item={itemWith(missing)} step="read" otherwise="No text found." />)
  expect(screen.getByText('No text found.')).toBeTruthy()
})
