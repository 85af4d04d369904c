// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import * as toasts from '../../ui/show-toast.ts'
import { loadTexts } from '../i18n/i18n.ts'
import { TagsDialog } from './tags-dialog.tsx'

it('offers to remove every tag, however many there are', async () => {
  await loadTexts('errors')
  const tags = Array.from({ length: 40 }, (_, index) => `tag ${index}`)
  await renderPart(
    <TagsDialog
      entries={[{ tags }]}
      existingTags={[{ tag: 'other' }]}
      labels={{ title: 'Tags', add: 'Add', hint: '', all: 'All', save: 'Save' }}
      onSave={async () => {}}
      onClose={() => {}}
    />,
  )
  expect((await screen.findAllByRole('checkbox')).length).toBe(40)
})

it('reports a failed save even when it was closed meanwhile', async () => {
  await loadTexts('errors')
  const showToast = vi.spyOn(toasts, 'showToast')
  const saving = Promise.withResolvers<void>()
  const dialog = (
    <TagsDialog
      entries={[{ tags: [] }]}
      existingTags={[]}
      labels={{ title: 'Tags', add: 'Add', hint: '', all: 'All', save: 'Save' }}
      onSave={() => saving.promise}
      onClose={() => {}}
    />
  )
  const { user, rerender } = await renderPart(dialog)
  await user.type(await screen.findByLabelText('Add'), 'sea')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  rerender(null)
  await act(async () => saving.reject(new Error('refused')))
  expect(showToast).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ tone: 'danger' }))
})
