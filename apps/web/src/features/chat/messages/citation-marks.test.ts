import { expect, test } from 'vitest'
import { CITATION, remarkCitations } from './citation.tsx'

const text = (value: string) => ({ type: 'text', value })
const citation = (number: string) => ({
  type: 'link',
  url: '',
  data: { hProperties: { [CITATION]: number } },
  children: [text(`[${number}]`)],
})

function marked(...children: { type: string }[]) {
  const tree = { type: 'root', children: [{ type: 'paragraph', children }] }
  remarkCitations()(tree)
  return tree.children[0]?.children
}

test('numbers in brackets become citations, the words around them stay', () => {
  expect(marked(text('Three months [1][12]. More [2]'))).toEqual([
    text('Three months '),
    citation('1'),
    citation('12'),
    text('. More '),
    citation('2'),
  ])
})

test('other brackets stay as they are, and so does what is in links and code', () => {
  const others = [
    text('a [b] [2024] []'),
    { type: 'inlineCode', value: 'a[1]' },
    { type: 'link', url: '/x', children: [text('[1]')] },
  ]
  expect(marked(...others)).toEqual(others)
})
