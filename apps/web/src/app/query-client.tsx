import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api/client.ts'
import { session } from '../lib/session/session.ts'

const MAX_RETRIES = 2

/** Creates the query cache, which is cleared when another user signs in or nobody is signed in. */
export function createQueryClient(): QueryClient {
  // In a microtask: with a macrotask, a switch that shows a pending change would flip back for a moment.
  notifyManager.setScheduler(queueMicrotask)
  const queryClient = new QueryClient({
    defaultOptions: {
      // Without internet, the server may still be reachable: it's often in the same house or on the same machine.
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

/** Created once, because a client stays subscribed to the session while the page is open. */
let standaloneClient: QueryClient | undefined

/** Query client for pages outside the signed-in frame. */
export function StandaloneQueries({ children }: { children: ReactNode }) {
  standaloneClient ??= createQueryClient()
  return <QueryClientProvider client={standaloneClient}>{children}</QueryClientProvider>
}

function currentUserId(): string | null {
  const state = session.state.get()
  return state.status === 'signed-in' ? state.user.id : null
}
