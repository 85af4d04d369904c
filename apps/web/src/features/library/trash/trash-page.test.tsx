// @vitest-environment happy-dom
import type { LibraryJson, MeJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { session } from '../../../lib/session/session.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { TrashPage } from './trash-page.tsx'

const until = '2026-12-30T10:00:00.000Z'
const pageOf = (ids: string[], next_cursor: string | null = null) =>
  ({
    media_items: ids.map((id) => ({
      id,
      metadata: { original_filename: id },
      media_type: 'document',
      trash: { until },
    })),
    next_cursor,
    total: ids.length,
  }) as unknown as LibraryJson

it('deletes only the items that were in the trash when the confirmation was shown', async () => {
  session.state.set({ status: 'signed-in', user: { id: 'me', can_upload: true } as MeJson })
  let inTrash = [pageOf(['a', 'b'], 'after b'), pageOf(['c'])]
  route('GET /media/library').mockImplementation(
    async ({ query }) => (query?.cursor === undefined ? inTrash[0] : inTrash[1]) as LibraryJson,
  )
  const remove = route('POST /media/delete').mockResolvedValue({ deleted: 3 })
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <TrashPage />
    </ConfirmProvider>,
  )
  await user.click(await screen.findByRole('button', { name: 'Empty trash' }))
  const dialog = await screen.findByRole('alertdialog')
  expect(dialog.textContent).toContain('All 3 items')
  inTrash = [pageOf(['came in meanwhile'])]
  await user.click(screen.getAllByRole('button', { name: 'Empty trash', hidden: false }).at(-1) as HTMLElement)
  await expect
    .poll(() => remove.mock.calls)
    .toEqual([[expect.objectContaining({ json: { ids: ['a', 'b', 'c'], in: 'trash' } })]])
  expect(await screen.findByText('came in meanwhile')).toBeTruthy()
})
