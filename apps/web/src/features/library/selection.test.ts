import { expect, it } from 'vitest'
import { emptySelection, extendTo, keepListed, selectAll, toggle } from './library-items.ts'

const order = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))
const ids = ({ ids: selectedIds }: { ids: ReadonlySet<string> }) => [...selectedIds].sort().join('')

it('an item is chosen by one press and let go by the next', () => {
  const selection = toggle(emptySelection, 'b')
  expect(ids(selection)).toBe('b')
  expect(ids(toggle(selection, 'b'))).toBe('')
})

it('a range goes from the item touched last, in both directions, and keeps what was chosen', () => {
  const selection = toggle(toggle(emptySelection, 'a'), 'd')
  expect(ids(extendTo(selection, 'e', order))).toBe('ade')
  expect(ids(extendTo(selection, 'b', order))).toBe('abcd')
})

it('a range without a beginning in the list is one item', () => {
  expect(ids(extendTo({ ids: new Set(), anchor: 'gone' }, 'c', order))).toBe('c')
})

it('what left the list is no longer chosen', () => {
  const all = selectAll(order, emptySelection)
  expect(ids(keepListed(all, order.slice(0, 2)))).toBe('ab')
  expect(keepListed(all, order)).toBe(all)
})
