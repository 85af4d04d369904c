// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { StepReason } from './steps-panel.tsx'

const person = { status: 'signed-in', user: { role: 'user' } }
vi.mock('../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useSession: () => person,
  useUser: () => person.user,
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

it('says what is missing to everybody, and what to set to administrators, with the way there', async () => {
  const { show } = await renderPart(<StepReason item={itemWith(`${missing} Ask an administrator.`)} step="caption" />)
  expect(document.body.textContent).toBe(`${missing} Ask an administrator.`)
  expect(screen.queryByRole('link')).toBeNull()
  person.user.role = 'admin'
  show(<StepReason key="admin" item={itemWith(`${missing} Set OPENAI_BASE_URL.`)} step="caption" />)
  expect(await screen.findByText(/Set OPENAI_BASE_URL/)).toBeTruthy()
  expect(screen.getByRole('link').getAttribute('href')).toBe('/admin?tab=settings')
})

it('says nothing of its own where a step has no reason', async () => {
  await renderPart(<StepReason item={itemWith(missing)} step="read" otherwise="No text found." />)
  expect(screen.getByText('No text found.')).toBeTruthy()
})
