// @vitest-environment happy-dom
import { type InfiniteData, QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import * as libraryApi from '../../lib/api/library.ts'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { ItemTagsDialog } from './item-tags-dialog.tsx'
import type { GridItem, GridPage } from './library-items.ts'
import { clearedFilters, type LibraryFilters, libraryQuery } from './library-queries.ts'

vi.mock('../../lib/api/library.ts')

const filters: LibraryFilters = { ...clearedFilters, sort: 'newest' }
const item = (id: string) => ({ id, tags: ['old'] }) as unknown as GridItem
const onClose = vi.fn()

function ItemList() {
  const { data } = useInfiniteQuery(libraryQuery(filters))
  return <p>{data?.pages.flatMap(({ items }) => items.map(({ id, tags }) => `${id}: ${tags.join()}`)).join('; ')}</p>
}

async function addTagInList(pageCount: number) {
  const pages = Array.from({ length: pageCount }, (_, index) => ({
    ...{ items: [item(`i${index}`)], nextCursor: index < pageCount - 1 ? String(index + 1) : null, total: pageCount },
  }))
  const client = new QueryClient()
  const data: InfiniteData<GridPage, string | null> = { pages, pageParams: pages.map((_, index) => String(index)) }
  client.setQueryData(libraryQuery(filters).queryKey, data)
  const { user } = await renderPart(
    <QueryClientProvider client={client}>
      <ItemList />
      <ItemTagsDialog items={[item('i0')]} onClose={onClose} />
    </QueryClientProvider>,
  )
  await user.type(await screen.findByRole('textbox'), 'house')
  await user.click(screen.getByRole('button', { name: 'Save tags' }))
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
}

beforeEach(async () => {
  vi.resetAllMocks()
  await loadTexts('gallery', 'errors')
  route('GET /media/tags').mockResolvedValue({ tags: [] })
  vi.mocked(libraryApi.fetchLibrary).mockResolvedValue({ media_items: [], next_cursor: null, total: 0 })
})

it('shows new tags in a long list without reloading it', async () => {
  await addTagInList(6)
  expect(libraryApi.fetchLibrary).not.toHaveBeenCalled()
  expect(await screen.findByText(/^i0: old,house; i1: old;/)).toBeTruthy()
})

it('reloads a short list, since other items may match now', async () => {
  await addTagInList(1)
  expect(libraryApi.fetchLibrary).toHaveBeenCalledOnce()
})
