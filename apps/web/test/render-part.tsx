import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, configure, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { type ReactNode, Suspense } from 'react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, vi } from 'vitest'

/** Shown while texts are on their way. */
const LOADING = 'texts are on their way'

// a part that is loaded when it is first asked for may take its time on a busy machine
configure({ asyncUtilTimeout: 20_000 })
vi.setConfig({ testTimeout: 60_000 })
afterEach(cleanup)

// the imitated browser has no popovers, which hints are drawn in
HTMLElement.prototype.showPopover ??= () => {}
HTMLElement.prototype.hidePopover ??= () => {}

/** Shows a part of the app as a person has it, in English, and gives what they do with it. */
export async function renderPart(part: ReactNode): Promise<{
  user: ReturnType<typeof userEvent.setup>
  /** Shows another state of it. */
  show(next: ReactNode): void
}> {
  const client = new QueryClient()
  const around = (inner: ReactNode) => (
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <Suspense fallback={LOADING}>{inner}</Suspense>
      </MemoryRouter>
    </QueryClientProvider>
  )
  const { rerender } = await act(async () => render(around(part)))
  await waitFor(() => expect(screen.queryByText(LOADING)).toBeNull())
  return { user: userEvent.setup(), show: (next) => rerender(around(next)) }
}
