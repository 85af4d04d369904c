import { expect, it } from 'vitest'
import { thingOf } from './shared-panel.tsx'

const url = 'https://example.org/a?b=1'
const of = (words: Partial<Parameters<typeof thingOf>[0]>) => thingOf({ title: '', text: '', url: '', ...words })

it('keeps a link as a page, wherever an app puts it', () => {
  const page = { kind: 'page', url }
  expect(of({ url })).toEqual(page)
  expect(of({ text: url })).toEqual(page)
  expect(of({ title: 'The boathouse', text: url })).toEqual(page)
  expect(of({ title: 'The boathouse', text: `The boathouse ${url}` })).toEqual(page)
})

it('keeps words as a note, with the link that came along', () => {
  expect(of({ title: 'Recipe', text: 'Two eggs' })).toEqual({ kind: 'note', title: 'Recipe', text: 'Two eggs' })
  expect(of({ text: `“Two eggs” ${url}` })).toMatchObject({ kind: 'note', text: `“Two eggs” ${url}` })
  expect(of({ text: 'Two eggs', url })).toEqual({ kind: 'note', title: '', text: `Two eggs\n\n${url}` })
  expect(of({ title: 'Only a title' })).toEqual({ kind: 'note', title: 'Only a title', text: 'Only a title' })
  expect(of({ text: ' ' })).toBeNull()
})
