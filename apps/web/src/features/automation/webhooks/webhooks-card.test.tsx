// @vitest-environment happy-dom
import type { HookJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { WebhooksCard } from './webhooks-card.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user' }),
}))

const hook: HookJson = {
  id: '0198c0de-0000-7000-8000-000000000000',
  name: 'Kitchen',
  url: 'https://example.org/mira',
  events: ['media.done', 'reminder.due'],
  created_at: '2026-11-01T10:00:00.000Z',
  last_delivery: {
    id: '0198c0de-0000-7000-8000-000000000001',
    event: 'media.done',
    state: 'failed',
    attempts: 8,
    status: 503,
    problem: 'status',
    duration_ms: 12,
    created_at: '2026-11-01T10:00:00.000Z',
    next_attempt_at: null,
    finished_at: '2026-11-01T10:01:00.000Z',
  },
}
const card = (
  <ConfirmProvider cancelLabel="Cancel">
    <WebhooksCard />
  </ConfirmProvider>
)
const list = (hooks: HookJson[]) => route('GET /me/hooks').mockResolvedValue({ hooks, next_cursor: null })

it('shows the events of each webhook, and why the last delivery failed', async () => {
  list([hook])
  await renderPart(card)
  expect(await screen.findByText('Kitchen')).toBeTruthy()
  expect(screen.getByText('Item processed, Reminder due')).toBeTruthy()
  expect(screen.getByText('The receiver answered with 503.')).toBeTruthy()
})

it('adds a webhook and shows its secret once', async () => {
  list([])
  route('POST /me/hooks').mockResolvedValue({ ...hook, secret: 'whsec_shown-once' })
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Add webhook' }))
  const address = await screen.findByLabelText('Address')
  await user.type(address, 'example.org')
  const add = screen.getAllByRole('button', { name: 'Add webhook' }).at(-1)!
  await user.click(add)
  expect(screen.getByText('Enter an address that begins with https:// or http://.')).toBeTruthy()
  expect(screen.queryByRole('checkbox', { name: 'Automation run finished' })).toBeNull()
  await user.clear(address)
  await user.type(address, hook.url)
  await user.click(screen.getByRole('checkbox', { name: 'Item processing failed' }))
  await user.click(add)
  expect(await screen.findByText('whsec_shown-once')).toBeTruthy()
  expect(route('POST /me/hooks')).toHaveBeenCalledExactlyOnceWith({
    json: {
      url: hook.url,
      name: '',
      events: ['media.done', 'reminder.due', 'chat.answered'],
    },
  })
  list([hook])
  await user.click(screen.getByRole('button', { name: 'Done' }))
  await user.click(await screen.findByRole('button', { name: 'Add webhook' }))
  expect(await screen.findByLabelText('Address')).toHaveProperty('value', '')
  expect(screen.queryByText('whsec_shown-once')).toBeNull()
})

it('deletes a webhook only after confirmation', async () => {
  list([hook])
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Delete Kitchen' }))
  expect(route('DELETE /me/hooks/:id')).not.toHaveBeenCalled()
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  await vi.waitFor(() =>
    expect(route('DELETE /me/hooks/:id')).toHaveBeenCalledExactlyOnceWith({ params: { id: hook.id } }),
  )
})
