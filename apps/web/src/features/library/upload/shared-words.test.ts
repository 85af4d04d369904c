import { expect, it } from 'vitest'
import { pageOrNoteOf } from './shared-panel.tsx'

const url = 'https://example.org/a?b=1'
const classify = (words: Partial<Parameters<typeof pageOrNoteOf>[0]>) =>
  pageOrNoteOf({ title: '', text: '', url: '', ...words })

it('saves a link as a page, in whichever field an app puts it', () => {
  const page = { kind: 'page', url }
  expect(classify({ url })).toEqual(page)
  expect(classify({ text: url })).toEqual(page)
  expect(classify({ title: 'The boathouse', text: url })).toEqual(page)
  expect(classify({ title: 'The boathouse', text: `The boathouse ${url}` })).toEqual(page)
})

it('saves text as a note, with its link', () => {
  expect(classify({ title: 'Recipe', text: 'Two eggs' })).toEqual({ kind: 'note', title: 'Recipe', text: 'Two eggs' })
  expect(classify({ text: `“Two eggs” ${url}` })).toMatchObject({ kind: 'note', text: `“Two eggs” ${url}` })
  expect(classify({ text: 'Two eggs', url })).toEqual({ kind: 'note', title: '', text: `Two eggs\n\n${url}` })
  expect(classify({ title: 'Only a title' })).toEqual({ kind: 'note', title: 'Only a title', text: 'Only a title' })
  expect(classify({ text: ' ' })).toBeNull()
})
