// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { ApiError } from '../../lib/api/client.ts'
import { useFetchCapabilities } from './use-capabilities.ts'

let ask: ReturnType<typeof useFetchCapabilities>

function Ask() {
  ask = useFetchCapabilities()
  return null
}

test('an unavailable server isn’t retried while the user waits', async () => {
  const config = route('GET /config').mockRejectedValue(new ApiError(503, { code: 'http', detail: 'Away.' }))
  const client = new QueryClient({ defaultOptions: { queries: { retry: 2, retryDelay: 0 } } })
  await renderPart(
    <QueryClientProvider client={client}>
      <Ask />
    </QueryClientProvider>,
  )
  await expect(ask()).rejects.toThrow()
  expect(config).toHaveBeenCalledOnce()
})
