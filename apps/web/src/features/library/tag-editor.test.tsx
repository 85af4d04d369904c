// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { TagEditor } from './tag-editor.tsx'

it('keeps the text of the next tag while one is being saved', async () => {
  await loadTexts('gallery')
  route('GET /media/tags').mockResolvedValue({ tags: [] })
  const pendingSave = Promise.withResolvers<boolean>()
  const { user } = await renderPart(<TagEditor tags={[]} suggested={[]} onSave={() => pendingSave.promise} />)
  const field = screen.getByRole<HTMLInputElement>('combobox')
  await user.type(field, 'house{Enter}')
  await user.clear(field)
  await user.type(field, 'holi')
  await act(async () => pendingSave.resolve(true))
  expect(field.value).toBe('holi')
})
