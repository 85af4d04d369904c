// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { ConfirmProvider } from '../../ui/confirm-dialog.tsx'
import { useIsPainted } from '../../ui/use-is-painted.ts'
import { clearedFilters } from './library-queries.ts'
import { LibraryView } from './library-view.tsx'

// happy-dom paints nothing
vi.mock('../../ui/use-is-painted.ts')

it('requests statistics and tags only after the items are on the screen', async () => {
  vi.mocked(useIsPainted).mockImplementation((isDrawn = true) => isDrawn)
  const requests = [route('GET /media/stats'), route('GET /media/tags'), route('GET /media/reprocess')]
  const view = (isPending: boolean) => (
    <ConfirmProvider cancelLabel="Cancel">
      <LibraryView
        library={
          { items: [], total: 0, query: { isPending } } as unknown as Parameters<typeof LibraryView>[0]['library']
        }
        filters={{ ...clearedFilters, sort: 'newest' }}
        onChangeFilters={() => {}}
        addressOf={(id) => `/gallery/${id}`}
        isCovered={false}
        returnTo={null}
      />
    </ConfirmProvider>
  )
  const { rerender } = await renderPart(view(true))
  for (const call of requests) expect(call).not.toHaveBeenCalled()
  await act(async () => rerender(view(false)))
  for (const call of requests) expect(call).toHaveBeenCalled()
})
