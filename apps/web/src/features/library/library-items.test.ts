import type { MediaItemJson } from '@mira/shared'
import { expect, it } from 'vitest'
import { changeItems, type GridItem, type GridPage, toGridItem, uniqueItems } from './library-items.ts'
import { isFiltered, readFilters, writeFilters } from './library-queries.ts'

const item = (id: string) => ({ id, status: 'pending' }) as GridItem
const page = (ids: string[], total = 4): GridPage => ({ items: ids.map(item), nextCursor: null, total })
const idsAndTotals = (pages: GridPage[]) => pages.map(({ items, total }) => [items.map(({ id }) => id).join(''), total])

it('an item that moved between pages is shown once', () => {
  const items = uniqueItems([page(['a', 'b']), page(['b', 'c', 'd'])])
  expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
})

it('removed items are dropped from their pages and the total', () => {
  const pages = [page(['a', 'b']), page(['c', 'd'])]
  expect(idsAndTotals(changeItems(pages, new Set(['b', 'x']), () => null))).toEqual([
    ['a', 3],
    ['cd', 3],
  ])
})

it('unchanged pages keep their identity', () => {
  const pages = [page(['a']), page(['b'])]
  expect(changeItems(pages, new Set(['x']), () => null)).toBe(pages)
  expect(changeItems(pages, new Set(['a']), (unchanged) => unchanged)).toBe(pages)
  const [first, second] = changeItems(pages, new Set(['a']), (changed) => ({ ...changed, status: 'failed' }))
  expect(first?.items[0]?.status).toBe('failed')
  expect(second).toBe(pages[1])
})

it('a grid item has the name, text and aspect ratio for its card', () => {
  const metadata = { original_filename: 'a.jpg', width: 300, height: 200, taken_at: null, taken_local: null }
  const item = { id: 'a', media_type: 'image', caption: '', extracted_text: ' Ferry\n leaves ', metadata, tags: [] }
  expect(toGridItem(item as unknown as MediaItemJson)).toMatchObject({
    name: 'a.jpg',
    caption: null,
    snippet: 'Ferry leaves',
    ratio: 1.5,
  })
})

it('the card of a Markdown file omits marks and URLs, that of another text file shows it as written', () => {
  const card = (original_filename: string) => {
    const metadata = { original_filename, width: null, height: null, taken_at: null, taken_local: null }
    const content = '## Ferry\n\nSee the [**timetable**](https://ferry.example/times), `nine`'
    const item = { id: 'a', media_type: 'document', caption: '', content, thumbnail: null, metadata, tags: [] }
    return toGridItem(item as unknown as MediaItemJson)
  }
  expect(card('Ferry.md')).toMatchObject({
    snippet: 'Ferry See the timetable, nine',
    firstLines: 'Ferry\nSee the timetable, nine',
  })
  expect(card('Ferry.txt').snippet).toBe('## Ferry See the [**timetable**](https://ferry.example/times), `nine`')
})

it('filters survive a round trip through the URL', () => {
  const filters = { query: 'red boat', type: 'video', tag: 'a&b', status: 'failed', sort: 'largest' } as const
  expect(readFilters(new URLSearchParams(writeFilters(filters).toString()))).toEqual(filters)
  const none = readFilters(new URLSearchParams('type=film&sort=best&status=&t=3'))
  expect(writeFilters(none).toString()).toBe('')
  expect(isFiltered(none)).toBe(false)
  expect(isFiltered(filters)).toBe(true)
})
