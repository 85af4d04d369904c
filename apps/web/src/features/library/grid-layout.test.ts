import { describe, expect, it } from 'vitest'
import { createDayOf, layOut, measuresFor, neighbourInNextRow, rowIndexOf } from './grid-layout.ts'
import type { GridItem } from './library-items.ts'

const item = (number: number, changes: Partial<GridItem> = {}): GridItem => ({
  id: `item-${number}`,
  type: 'image',
  name: `${number}.jpg`,
  caption: null,
  snippet: null,
  firstLines: null,
  waveform: [],
  thumbnail: null,
  thumbhash: null,
  duration: null,
  isLive: false,
  timestamp: '2026-05-15T12:00:00.000Z',
  takenLocal: null,
  place: null,
  corrected: [],
  ratio: 1.5,
  status: 'completed',
  error: null,
  tags: [],
  ...changes,
})
const measures = measuresFor(1152)

function layOutRows(items: GridItem[], dayOf: Parameters<typeof layOut>[2] = null, gridMeasures = measures) {
  return layOut(items, gridMeasures, dayOf)
}

describe('the rows of the grid', () => {
  it('contain every item once and in order', () => {
    const items = Array.from({ length: 237 }, (_, number) =>
      item(number, { ratio: [0.6, 1, 1.5, 1.78, 3][number % 5]! }),
    )
    let next = 0
    for (const row of layOutRows(items)) {
      if (row.kind === 'heading') continue
      expect(row.firstIndex).toBe(next)
      next += row.widths.length
    }
    expect(next).toBe(items.length)
  })

  it('fill the width, except the last one', () => {
    const items = Array.from({ length: 100 }, (_, number) => item(number, { ratio: 0.75 + (number % 7) / 5 }))
    const rows = layOutRows(items).filter((row) => row.kind === 'items')
    for (const { widths, pictureHeight } of rows.slice(0, -1)) {
      const used = widths.reduce((sum, width) => sum + width, 0) + measures.gap * (widths.length - 1)
      expect(used).toBeLessThanOrEqual(measures.width)
      // Rounding loses up to one pixel per image.
      expect(used).toBeGreaterThan(measures.width - widths.length - 1)
      expect(pictureHeight).toBeGreaterThan(measures.pictureHeight * 0.6)
      expect(pictureHeight).toBeLessThanOrEqual(measures.pictureHeight * 1.36)
    }
  })

  it('keep the aspect ratio of images, within limits', () => {
    const [row] = layOutRows([item(0, { ratio: 1.5 }), item(1, { ratio: 12 }), item(2, { ratio: 0.1 })])
    const [first = 0, panorama = 0, ribbon = 0] = row?.kind === 'items' ? row.widths : []
    const height = row?.kind === 'items' ? row.pictureHeight : 1
    expect(first / height).toBeCloseTo(1.5, 1)
    expect(panorama / height).toBeCloseTo(2.6, 1)
    expect(ribbon / height).toBeCloseTo(0.72, 1)
  })

  it('never stretch a single image', () => {
    const [row] = layOutRows([item(0)])
    expect(row).toMatchObject({ kind: 'items', pictureHeight: measures.pictureHeight })
  })

  it('start over with each day, under a heading', () => {
    const itemsOfDay = (first: number, day: string) =>
      Array.from({ length: 5 }, (_, number) => item(first + number, { timestamp: `${day}T12:00:00.000Z` }))
    const rows = layOutRows(
      [...itemsOfDay(0, '2026-05-15'), ...itemsOfDay(5, '2026-05-14')],
      createDayOf('newest', 'UTC'),
    )
    expect(rows.flatMap((row) => (row.kind === 'heading' ? [row.days] : []))).toEqual([
      { first: '2026-05-15', last: '2026-05-15' },
      { first: '2026-05-14', last: '2026-05-14' },
    ])
  })

  it('combine days of a month that fit in one row, under one heading', () => {
    const items = ['2026-05-17', '2026-05-09', '2026-04-30', '2026-04-02'].map((day, number) =>
      item(number, { timestamp: `${day}T12:00:00.000Z` }),
    )
    const rows = layOutRows(items, createDayOf('newest', 'UTC'))
    expect(rows.map((row) => (row.kind === 'heading' ? row.days : row.widths.length))).toEqual([
      { first: '2026-05-17', last: '2026-05-09' },
      2,
      { first: '2026-04-30', last: '2026-04-02' },
      2,
    ])
  })

  it('are empty while the width is unknown', () => {
    expect(layOutRows([item(0)], null, measuresFor(0))).toEqual([])
  })
})

describe('the day of an item', () => {
  it('is that of the user’s time zone', () => {
    const night = item(0, { timestamp: '2026-05-31T23:30:00.000Z' })
    expect(createDayOf('newest', 'UTC')?.(night)).toBe('2026-05-31')
    expect(createDayOf('newest', 'Europe/Berlin')?.(night)).toBe('2026-06-01')
    const morning = item(0, { timestamp: '2026-06-01T01:00:00.000Z' })
    expect(createDayOf('oldest', 'America/New_York')?.(morning)).toBe('2026-05-31')
  })

  it('is unknown when sorted by date taken for an item without one', () => {
    expect(createDayOf('taken', 'UTC')?.(item(0))).toBe('unknown')
    const newYearsEve = item(0, { takenLocal: '2020-12-31T23:30:00', timestamp: '2020-12-31T23:30:00.000Z' })
    expect(createDayOf('taken', 'UTC')?.(newYearsEve)).toBe('2020-12-31')
    expect(createDayOf('newest', 'Asia/Tokyo')?.(newYearsEve)).toBe('2020-12-31')
  })

  it('doesn’t apply to orders that mix days', () => {
    expect(createDayOf('name', 'UTC')).toBeNull()
    expect(createDayOf('largest', 'UTC')).toBeNull()
  })
})

describe('the up and down arrows', () => {
  const items = Array.from({ length: 30 }, (_, number) => item(number))
  const rows = layOutRows(items, createDayOf('newest', 'UTC'))

  it('move to the item above or below', () => {
    const perRow = rows[1]?.kind === 'items' ? rows[1].widths.length : 0
    expect(neighbourInNextRow(rows, 1, 1)).toBe(1 + perRow)
    expect(neighbourInNextRow(rows, 1 + perRow, -1)).toBe(1)
    expect(rowIndexOf(rows, perRow)).toBe(2)
  })

  it('stop at the first and last rows', () => {
    expect(neighbourInNextRow(rows, 0, -1)).toBeNull()
    expect(neighbourInNextRow(rows, 29, 1)).toBeNull()
  })
})
