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

const things = (media_items: number, chat_sessions: number) => ({ media_items, chat_sessions }) as Overview

it('keeps its place until it is known what is done, and gives it away once all is', async () => {
  route('GET /memory/logs').mockResolvedValue({ entries: [{ results_count: 2 }] } as MemoryLogsResponseJson)
  const answer = Promise.withResolvers<Overview>()
  route('GET /dashboard/overview').mockReturnValueOnce(answer.promise)
  await renderPart(<FirstSteps />)
  const place = () => screen.queryByText('First steps', { exact: false })?.closest('.invisible')
  expect(place()).toBeTruthy()
  answer.resolve(things(3, 0))
  expect(await screen.findAllByLabelText('Done')).toHaveLength(2)
  expect(place()).toBeNull()
  cleanup()

  route('GET /dashboard/overview').mockResolvedValueOnce(things(3, 1))
  await renderPart(<FirstSteps />)
  await vi.waitFor(() => expect(screen.queryByText('First steps', { exact: false })).toBeNull())
  cleanup()

  route('GET /dashboard/overview').mockReturnValueOnce(new Promise(() => {}))
  await renderPart(<FirstSteps />)
  expect(screen.queryByText('First steps', { exact: false })).toBeNull()
})
