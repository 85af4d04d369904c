// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { ConfirmProvider } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { ApiError } from '../api/client.ts'
import { loadTexts } from '../i18n/i18n.ts'
import { useMoveToTrash } from './use-move-to-trash.ts'

vi.mock('../../ui/show-toast.ts')

function Remove({ onEnd }: { onEnd: (hasGone: boolean) => void }) {
  const moveToTrash = useMoveToTrash('items')
  return (
    <button
      type="button"
      onClick={() => void moveToTrash([{ id: 'a', name: 'A' }], { onRestored: () => {} }).then(onEnd)}
    >
      Delete
    </button>
  )
}

it('deletes nothing and shows an error without retries when the configuration can’t be loaded', async () => {
  await loadTexts('errors', 'trash')
  const config = route('GET /config').mockRejectedValue(new ApiError(503, { code: 'http', detail: 'Out of order.' }))
  const onEnd = vi.fn()
  const client = new QueryClient({ defaultOptions: { queries: { retry: 2, retryDelay: 0 } } })
  const { user } = await renderPart(
    <QueryClientProvider client={client}>
      <ConfirmProvider cancelLabel="Cancel">
        <Remove onEnd={onEnd} />
      </ConfirmProvider>
    </QueryClientProvider>,
  )
  await user.click(screen.getByRole('button'))
  await vi.waitFor(() => expect(onEnd).toHaveBeenCalledExactlyOnceWith(false))
  expect(showToast).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ tone: 'danger' }))
  // No retries, since the user is waiting.
  expect(config).toHaveBeenCalledOnce()
})
