// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { DateDialog } from './date-dialog.tsx'
import type { GridItem } from './library-items.ts'

it('disables Save for a shift beyond any valid date', async () => {
  await loadTexts('gallery', 'errors')
  const item = { id: 'a', name: 'a.jpg', takenLocal: '2024-07-14T09:28:00' } as GridItem
  const { user } = await renderPart(<DateDialog items={[item]} onClose={() => {}} />)
  await user.click(await screen.findByRole('radio', { name: 'Shift by' }))
  const save = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  const days = screen.getByRole('textbox', { name: 'Days' })
  await user.type(days, '2')
  expect(save().disabled).toBe(false)
  await user.type(days, '9999999999')
  expect(save().disabled).toBe(true)
})

it('disables Save while a field isn’t a whole number', async () => {
  await loadTexts('gallery', 'errors')
  const item = { id: 'a', name: 'a.jpg', takenLocal: '2024-07-14T09:28:00' } as GridItem
  const { user } = await renderPart(<DateDialog items={[item]} onClose={() => {}} />)
  await user.click(await screen.findByRole('radio', { name: 'Shift by' }))
  const save = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })
  await user.type(screen.getByRole('textbox', { name: 'Days' }), '1')
  const hours = screen.getByRole('textbox', { name: 'Hours' })
  await user.clear(hours)
  expect(save().disabled).toBe(false)
  await user.type(hours, '1,5')
  expect(save().disabled).toBe(true)
  expect(screen.getByText('Whole numbers only')).toBeTruthy()
})
