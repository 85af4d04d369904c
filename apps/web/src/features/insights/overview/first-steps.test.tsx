// @vitest-environment happy-dom
import type { MemoryLogsResponseJson, Overview } from '@mira/shared'
import { cleanup, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { FirstSteps } from './first-steps.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({
    id: 'anna',
    role: 'user',
    can_chat: true,
    can_upload: true,
    preferences: { hides_first_steps: false },
  }),
}))

const overviewWith = (media_items: number, chat_sessions: number) => ({ media_items, chat_sessions }) as Overview

it('reserves its space while loading, and disappears once all steps are done', async () => {
  route('GET /memory/logs').mockResolvedValue({ entries: [{ results_count: 2 }] } as MemoryLogsResponseJson)
  const response = Promise.withResolvers<Overview>()
  route('GET /dashboard/overview').mockReturnValueOnce(response.promise)
  await renderPart(<FirstSteps />)
  const placeholder = () => screen.queryByText('First steps', { exact: false })?.closest('.invisible')
  expect(placeholder()).toBeTruthy()
  response.resolve(overviewWith(3, 0))
  expect(await screen.findAllByLabelText('Done')).toHaveLength(2)
  expect(placeholder()).toBeNull()
  cleanup()

  route('GET /dashboard/overview').mockResolvedValueOnce(overviewWith(3, 1))
  await renderPart(<FirstSteps />)
  await vi.waitFor(() => expect(screen.queryByText('First steps', { exact: false })).toBeNull())
  cleanup()

  route('GET /dashboard/overview').mockReturnValueOnce(new Promise(() => {}))
  await renderPart(<FirstSteps />)
  expect(screen.queryByText('First steps', { exact: false })).toBeNull()
})
