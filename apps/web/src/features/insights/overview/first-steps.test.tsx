// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import * as insights from '../../../api/insights.ts'
import * as logs from '../../../api/memory-logs.ts'
import { FirstSteps } from './first-steps.tsx'

vi.mock('../../../api/insights.ts')
vi.mock('../../../api/memory-logs.ts')
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

type Overview = Awaited<ReturnType<typeof insights.fetchOverview>>
type Logs = Awaited<ReturnType<typeof logs.fetchMemoryLogs>>
const things = (media_items: number, chat_sessions: number) => ({ media_items, chat_sessions }) as Overview

it('keeps its place until it is known what is done, and gives it away once all is', async () => {
  vi.mocked(logs.fetchMemoryLogs).mockResolvedValue({ entries: [{ results_count: 2 }] } as Logs)
  const answer = Promise.withResolvers<Overview>()
  vi.mocked(insights.fetchOverview).mockReturnValueOnce(answer.promise)
  await renderPart(<FirstSteps />)
  const place = () => screen.queryByText('First steps', { exact: false })?.closest('.invisible')
  expect(place()).toBeTruthy()
  answer.resolve(things(3, 0))
  expect(await screen.findAllByLabelText('Done')).toHaveLength(2)
  expect(place()).toBeNull()
  cleanup()

  vi.mocked(insights.fetchOverview).mockResolvedValueOnce(things(3, 1))
  await renderPart(<FirstSteps />)
  await vi.waitFor(() => expect(screen.queryByText('First steps', { exact: false })).toBeNull())
  cleanup()

  vi.mocked(insights.fetchOverview).mockReturnValueOnce(new Promise(() => {}))
  await renderPart(<FirstSteps />)
  expect(screen.queryByText('First steps', { exact: false })).toBeNull()
})
