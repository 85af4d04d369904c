import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, configure, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { type ReactNode, Suspense } from 'react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, vi } from 'vitest'

/** Fallback shown while texts load. */
const LOADING = 'texts are loading'

// lazy-loaded parts can be slow on a busy machine
configure({ asyncUtilTimeout: 20_000 })
vi.setConfig({ testTimeout: 60_000 })
afterEach(cleanup)

// happy-dom has no popovers, which hints are rendered in
HTMLElement.prototype.showPopover ??= () => {}
HTMLElement.prototype.hidePopover ??= () => {}

/** Renders a part of the app in English, with its providers, and returns a simulated user. */
export async function renderPart(part: ReactNode): Promise<{
  user: ReturnType<typeof userEvent.setup>
  /** Renders other content in its place. */
  rerender(next: ReactNode): void
}> {
  const client = new QueryClient()
  const withProviders = (inner: ReactNode) => (
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <Suspense fallback={LOADING}>{inner}</Suspense>
      </MemoryRouter>
    </QueryClientProvider>
  )
  const { rerender } = await act(async () => render(withProviders(part)))
  await waitFor(() => expect(screen.queryByText(LOADING)).toBeNull())
  return { user: userEvent.setup(), rerender: (next) => rerender(withProviders(next)) }
}
