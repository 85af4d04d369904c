// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../i18n/i18n.ts'
import { TagsDialog } from './tags-dialog.tsx'

it('offers to take away every tag, however many there are', async () => {
  await loadTexts('errors')
  const tags = Array.from({ length: 40 }, (_, index) => `tag ${index}`)
  await renderPart(
    <TagsDialog
      tagged={[{ tags }]}
      existingTags={[{ tag: 'other' }]}
      labels={{ title: 'Tags', add: 'Add', hint: '', all: 'All', save: 'Save' }}
      onSave={async () => {}}
      onClose={() => {}}
    />,
  )
  expect((await screen.findAllByRole('checkbox')).length).toBe(40)
})
