import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api/client.ts'
import { session } from '../lib/session/session.ts'

const MAX_RETRIES = 2

/** Makes the store of what was fetched; it forgets everything when another person, or nobody, is signed in. */
export function createQueryClient(): QueryClient {
  // Not a task later: a switch that shows a change under way would flip back for a moment.
  notifyManager.setScheduler(queueMicrotask)
  const queryClient = new QueryClient({
    defaultOptions: {
      // A browser without internet may well reach the server, which is often in the same house or on the same machine.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 10_000,
        retry: (failures, error) => failures < MAX_RETRIES && error instanceof ApiError && error.isTemporary,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  let lastUserId = currentUserId()
  session.state.subscribe(() => {
    const userId = currentUserId()
    if (userId !== lastUserId) queryClient.clear()
    lastUserId = userId
  })
  return queryClient
}

/** Made once: each client follows the session for as long as the page is open. */
let standaloneClient: QueryClient | undefined

/** Queries of a page outside the frame of the signed-in app. */
export function StandaloneQueries({ children }: { children: ReactNode }) {
  standaloneClient ??= createQueryClient()
  return <QueryClientProvider client={standaloneClient}>{children}</QueryClientProvider>
}

function currentUserId(): string | null {
  const state = session.state.get()
  return state.status === 'signed-in' ? state.user.id : null
}
