import { expect, test } from 'vitest'
import { remarkCitations } from './citation.tsx'
import { CITATION } from './citation-attribute.ts'

const text = (value: string) => ({ type: 'text', value })
const citation = (number: string) => ({
  type: 'link',
  url: '',
  data: { hProperties: { [CITATION]: number } },
  children: [text(`[${number}]`)],
})

function withCitations(...children: { type: string }[]) {
  const tree = { type: 'root', children: [{ type: 'paragraph', children }] }
  remarkCitations()(tree)
  return tree.children[0]?.children
}

test('numbers in brackets become citations, and the text around them is kept', () => {
  expect(withCitations(text('Three months [1][12]. More [2]'))).toEqual([
    text('Three months '),
    citation('1'),
    citation('12'),
    text('. More '),
    citation('2'),
  ])
})

test('other brackets, links and code stay unchanged', () => {
  const others = [
    text('a [b] [2024] []'),
    { type: 'inlineCode', value: 'a[1]' },
    { type: 'link', url: '/x', children: [text('[1]')] },
  ]
  expect(withCitations(...others)).toEqual(others)
})
