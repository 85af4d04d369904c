// @vitest-environment happy-dom
import type { ReminderJson } from '@mira/shared'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { ReminderList } from './reminder-list.tsx'
import { remindersKey } from './reminder-queries.ts'

const reminder = {
  id: 'r1',
  text: 'Water the plants',
  due_at: '2030-05-01T08:00:00.000Z',
  time_zone: 'Europe/Berlin',
  recurrence: null,
} as ReminderJson
const serverError = new ApiError(400, { code: 'away', detail: 'The server is away.' })

async function renderList() {
  await loadTexts('reminders', 'errors')
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { user } = await renderPart(
    <QueryClientProvider client={client}>
      <ConfirmProvider cancelLabel="Cancel">
        <ReminderList />
      </ConfirmProvider>
    </QueryClientProvider>,
  )
  return { client, user }
}

async function openEditor() {
  route('GET /reminders').mockResolvedValue({ reminders: [reminder], next_cursor: null })
  const { client, user } = await renderList()
  await user.click(await screen.findByRole('button', { name: /Water the plants/, expanded: false }))
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }))
  return { client, user, field: await screen.findByRole<HTMLInputElement>('textbox') }
}

it('keeps a reminder open for editing when reloading the list fails', async () => {
  const { client, user, field } = await openEditor()
  await user.type(field, ' and the lawn')
  vi.spyOn(console, 'error').mockReturnValue()
  route('GET /reminders').mockRejectedValue(serverError)
  await act(() => client.invalidateQueries({ queryKey: remindersKey }))
  await waitFor(() => expect(client.getQueryState([...remindersKey, 'active'])?.status).toBe('error'))
  expect(field.isConnected).toBe(true)
  expect(field.value).toBe('Water the plants and the lawn')
})

it('disables Save without a time, which a phone can clear, or without text', async () => {
  const { user, field } = await openEditor()
  const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  const timeField = screen.getByLabelText<HTMLInputElement>(/When/)
  await user.clear(timeField)
  expect(save.disabled).toBe(true)
  await user.type(timeField, '2030-05-02T09:30')
  expect(save.disabled).toBe(false)
  await user.clear(field)
  expect(save.disabled).toBe(true)
})

it('offers a retry when the next page fails to load', async () => {
  route('GET /reminders').mockImplementation(async ({ query }) => {
    if (query?.cursor) throw serverError
    return { reminders: [reminder], next_cursor: 'more' }
  })
  const { user } = await renderList()
  await user.click(await screen.findByRole('button', { name: 'Show more' }))
  expect(await screen.findByRole('alert')).toBeTruthy()
  expect(screen.getByText('Water the plants')).toBeTruthy()
  const last = { ...reminder, id: 'r2', text: 'Feed the cat' }
  route('GET /reminders').mockResolvedValue({ reminders: [last], next_cursor: null })
  await user.click(screen.getByRole('button', { name: 'Retry' }))
  expect(await screen.findByText('Feed the cat')).toBeTruthy()
})
