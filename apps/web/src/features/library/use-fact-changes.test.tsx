// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { ApiError } from '../../lib/api/client.ts'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { currentToasts } from '../../ui/show-toast.ts'
import { DateDialog } from './date-dialog.tsx'
import type { GridItem } from './library-items.ts'

const itemOf = (number: number, takenLocal: string | null = '2024-07-14T09:28:00') =>
  ({ id: `i${number}`, name: `${number}.jpg`, takenLocal, place: null, corrected: [] }) as unknown as GridItem

async function shiftByTwoDays(items: GridItem[]) {
  await loadTexts('gallery', 'errors')
  const { user } = await renderPart(<DateDialog items={items} onClose={() => {}} />)
  await user.click(await screen.findByRole('radio', { name: 'Shift by' }))
  await user.type(screen.getByRole('textbox', { name: 'Days' }), '2')
  await user.click(screen.getByRole('button', { name: 'Save' }))
}

it('reverts the shift of the first thousand when the next ones are refused, so that a retry shifts none twice', async () => {
  const items = Array.from({ length: 1001 }, (_, number) => itemOf(number))
  const change = route('POST /media/changes')
    .mockResolvedValueOnce({ changed: 1000 })
    .mockRejectedValueOnce(new ApiError(422, { code: 'no_such_time', detail: 'That would be tomorrow.' }))
    .mockResolvedValueOnce({ changed: 1000 })
  await shiftByTwoDays(items)
  await expect.poll(() => change.mock.calls.length).toBe(3)
  const ids = items.slice(0, 1000).map(({ id }) => id)
  expect(change.mock.lastCall).toEqual([expect.objectContaining({ json: { ids, taken_at: null } })])
})

it('counts only changed items, and not those without a date', async () => {
  route('POST /media/changes').mockResolvedValue({ changed: 2 })
  await shiftByTwoDays([itemOf(0), itemOf(1), itemOf(2, null)])
  await expect.poll(() => currentToasts().map(({ title }) => title)).toEqual(['2 items changed'])
})
