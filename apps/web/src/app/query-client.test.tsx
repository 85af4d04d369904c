// @vitest-environment happy-dom
import { onlineManager } from '@tanstack/react-query'
import { afterEach, expect, it, vi } from 'vitest'
import { createQueryClient } from './query-client.tsx'

afterEach(() => onlineManager.setOnline(true))

it('reads and changes data while the browser is offline, since the server may be on the local network', async () => {
  const queryClient = createQueryClient()
  onlineManager.setOnline(false)
  const read = vi.fn(async () => 'answer')
  const change = vi.fn(async () => 'changed')
  const query = queryClient.fetchQuery({ queryKey: ['one'], queryFn: read })
  const mutation = queryClient.getMutationCache().build(queryClient, { mutationFn: change }).execute(undefined)
  await vi.waitFor(() => expect(read).toHaveBeenCalled())
  await vi.waitFor(() => expect(change).toHaveBeenCalled())
  expect(await query).toBe('answer')
  expect(await mutation).toBe('changed')
})
