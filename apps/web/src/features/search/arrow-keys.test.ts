import { describe, expect, it } from 'vitest'
import { nextByArrow } from './search-results.tsx'

/** Three columns, the last row with one. */
const tops = [0, 0, 0, 200, 200, 200, 400]

describe('the arrow keys in a grid', () => {
  it('move along and between rows', () => {
    expect(nextByArrow('ArrowRight', 2, tops)).toBe(3)
    expect(nextByArrow('ArrowLeft', 3, tops)).toBe(2)
    expect(nextByArrow('ArrowDown', 1, tops)).toBe(4)
    expect(nextByArrow('ArrowUp', 4, tops)).toBe(1)
  })

  it('reach a shorter last row, and stop at the ends', () => {
    expect(nextByArrow('ArrowDown', 5, tops)).toBe(6)
    expect(nextByArrow('ArrowDown', 6, tops)).toBeNull()
    expect(nextByArrow('ArrowRight', 6, tops)).toBeNull()
    expect(nextByArrow('ArrowLeft', 0, tops)).toBeNull()
  })

  it('keep the column across a single row between two grids', () => {
    const topsOfTwoGrids = [0, 0, 100, 200, 200]
    expect([1, 2, 4].map((index) => nextByArrow('ArrowDown', index, topsOfTwoGrids))).toEqual([2, 3, null])
    expect([4, 3, 2].map((index) => nextByArrow('ArrowUp', index, topsOfTwoGrids))).toEqual([2, 2, 0])
  })

  it('leave the grid upwards from its first row, and with Escape', () => {
    expect(nextByArrow('ArrowUp', 2, tops)).toBe(-1)
    expect(nextByArrow('Escape', 5, tops)).toBe(-1)
  })

  it('jump to the ends with Home and End', () => {
    expect(nextByArrow('Home', 5, tops)).toBe(0)
    expect(nextByArrow('End', 0, tops)).toBe(6)
    expect(nextByArrow('a', 0, tops)).toBeNull()
  })
})
