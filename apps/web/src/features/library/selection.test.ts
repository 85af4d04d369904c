import { expect, it } from 'vitest'
import { emptySelection, extendTo, keepListed, selectAll, toggle } from './library-items.ts'

const order = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
const ids = ({ ids: selectedIds }: { ids: ReadonlySet<string> }) => [...selectedIds].sort().join('')

it('a press selects an item, and the next deselects it', () => {
  const selection = toggle(emptySelection, 'b')
  expect(ids(selection)).toBe('b')
  expect(ids(toggle(selection, 'b'))).toBe('')
})

it('a range starts at the last pressed item, in both directions, and keeps the selection', () => {
  const selection = toggle(toggle(emptySelection, 'a'), 'd')
  expect(ids(extendTo(selection, 'e', order))).toBe('ade')
  expect(ids(extendTo(selection, 'b', order))).toBe('abcd')
})

it('a range whose start isn’t listed is one item', () => {
  expect(ids(extendTo({ ids: new Set(), anchor: 'gone' }, 'c', order))).toBe('c')
})

it('items that left the list are deselected', () => {
  const all = selectAll(order, emptySelection)
  expect(ids(keepListed(all, order.slice(0, 2)))).toBe('ab')
  expect(keepListed(all, order)).toBe(all)
})
