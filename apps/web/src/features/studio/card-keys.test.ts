import { describe, expect, it } from 'vitest'
import { nextCard } from './effect-picker.tsx'

const SIZE = 100
/** Rows with the given numbers of cards, 100 px each and 10 px apart. */
const drawRows = (...counts: number[]) =>
  counts.flatMap((count, row) =>
    Array.from({ length: count }, (_, column) => ({
      name: `${row}/${column}`,
      getBoundingClientRect: () => ({
        left: column * 110,
        right: column * 110 + SIZE,
        top: row * 110,
        bottom: row * 110 + SIZE,
      }),
    })),
  )
const press = (cards: ReturnType<typeof drawRows>, from: string, key: string) =>
  nextCard(
    { key, target: cards.find(({ name }) => name === from), altKey: false, ctrlKey: false, metaKey: false },
    cards,
  )?.name

describe('the arrow keys', () => {
  const cards = drawRows(3, 2, 3)
  it('move along the cards from row to row', () => {
    expect(press(cards, '0/0', 'ArrowRight')).toBe('0/1')
    expect(press(cards, '0/2', 'ArrowRight')).toBe('1/0')
    expect(press(cards, '1/0', 'ArrowLeft')).toBe('0/2')
    expect(press(cards, '0/0', 'ArrowLeft')).toBeUndefined()
  })

  it('move straight up and down, to the last card of a short row', () => {
    expect(press(cards, '0/1', 'ArrowDown')).toBe('1/1')
    expect(press(cards, '0/2', 'ArrowDown')).toBe('1/1')
    expect(press(cards, '2/2', 'ArrowUp')).toBe('1/1')
    expect(press(cards, '2/1', 'ArrowDown')).toBeUndefined()
    expect(press(cards, '0/1', 'ArrowUp')).toBeUndefined()
  })

  it('move to the ends with Home and End, and ignore all other keys', () => {
    expect(press(cards, '1/1', 'Home')).toBe('0/0')
    expect(press(cards, '0/0', 'End')).toBe('2/2')
    expect(press(cards, '0/0', 'a')).toBeUndefined()
    const [first] = cards
    const withAlt = { key: 'ArrowRight', target: first, altKey: true, ctrlKey: false, metaKey: false }
    expect(nextCard(withAlt, cards)).toBeNull()
  })
})
