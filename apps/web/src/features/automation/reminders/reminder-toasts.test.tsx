// @vitest-environment happy-dom
import type { NotificationJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { act } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import type { ClientEvent } from '../../../lib/loading/event-stream.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { remindersKey } from './reminder-queries.ts'
import { ReminderToasts } from './reminder-toasts.tsx'

let emit: (event: ClientEvent) => void = () => {}
vi.mock('../../../lib/loading/event-stream.ts', () => ({
  useUserEvents: (handler: (event: ClientEvent) => void) => {
    emit = handler
  },
}))
vi.mock('../../../lib/session/session.ts', () => ({ useUser: () => ({ can_use_agents: true }) }))
vi.mock('../../../lib/session/settings.ts', async (original) => ({
  ...(await original<object>()),
  useSettings: () => ({ notifications: true, timezone: 'Europe/Madrid' }),
}))
vi.mock('../../../ui/show-toast.ts', () => ({ showToast: vi.fn() }))

const due: NotificationJson = {
  ...{ id: '0198d9a0-0000-7000-8000-000000000001', kind: 'reminder_due', params: { text: 'Call Ada' }, told: [] },
  ...{ link: null, created_at: '2026-11-20T10:00:00.000Z', read_at: null },
}
const readReminders = vi.fn(async () => [])

function Reminders() {
  useQuery({ queryKey: remindersKey, queryFn: readReminders })
  return <ReminderToasts onShowNotifications={() => {}} />
}

test('a recurring reminder alerts again while its last notification is still shown', async () => {
  await loadTexts('reminders', 'errors')
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  const Notification = vi.fn(class {})
  vi.stubGlobal('Notification', Object.assign(Notification, { permission: 'granted' }))
  route('POST /notifications/shown').mockResolvedValue({ notifications: [due] })
  await renderPart(<Reminders />)
  act(() => emit({ type: 'reminder.due', id: 'tea', text: 'Tea', due_at: '2026-11-20T10:00:00.000Z' }))
  await vi.waitFor(() => expect(Notification).toHaveBeenCalledWith('Tea', { tag: 'tea', renotify: true }))
  expect(Notification).toHaveBeenCalledWith(expect.any(String), { tag: due.id, renotify: true })
  vi.mocked(showToast).mockClear()
  readReminders.mockClear()
})

test('a reminder that came due while events were interrupted is shown when they resume', async () => {
  await loadTexts('reminders', 'errors')
  const claim = route('POST /notifications/shown').mockResolvedValue({ notifications: [] })
  await renderPart(<Reminders />)
  await vi.waitFor(() => expect(claim).toHaveBeenCalledOnce())
  expect(showToast).not.toHaveBeenCalled()

  claim.mockResolvedValue({ notifications: [due] })
  act(() => emit({ type: 'events.resumed' }))
  await vi.waitFor(() =>
    expect(showToast).toHaveBeenCalledWith(expect.objectContaining({ title: 'A reminder was due: Call Ada' })),
  )
  expect(readReminders).toHaveBeenCalledTimes(2)
})
