// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { MemoryPage } from './memory-page.tsx'

vi.mock('../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'me', role: 'user' }),
}))

it('searches for a new query while the previous one is still loading', async () => {
  await loadTexts('memory', 'gallery', 'errors')
  const search = route('GET /media/search')
  const { user } = await renderPart(<MemoryPage />)
  const field = screen.getByRole('combobox')
  const button = screen.getByRole('button', { name: /^Search/ })
  await user.type(field, 'ferry')
  await user.click(button)
  await vi.waitFor(() => expect(search).toHaveBeenCalledOnce())
  await user.type(field, ' timetable')
  await user.click(button)
  await vi.waitFor(() => expect(search).toHaveBeenCalledTimes(2))
  expect(search.mock.lastCall?.[0].query?.query).toBe('ferry timetable')
})

it('doesn’t change a date while its year is being typed', async () => {
  await loadTexts('memory', 'gallery', 'errors')
  const search = route('GET /media/search')
  search.mockClear()
  const { user } = await renderPart(<MemoryPage />)
  await user.type(screen.getByRole('combobox'), 'ferry{Enter}')
  await vi.waitFor(() => expect(search).toHaveBeenCalledOnce())
  const field = screen.getByLabelText<HTMLInputElement>('To')
  fireEvent.change(field, { target: { value: '2026-05-01' } })
  await vi.waitFor(() => expect(search).toHaveBeenCalledTimes(2))
  expect(search.mock.lastCall?.[0].query?.to).toMatch(/^2026-05-0/)
  fireEvent.change(field, { target: { value: '0202-05-01' } })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(field.value).toBe('0202-05-01')
})
