import type { ChatSessionDetailJson, ImportJson, LibraryJson, MediaDetailJson } from '@mira/shared'
import { expect, vi } from 'vitest'
import type { TestAccount, TestApp } from './test-app.ts'

/** API calls of an account. */
export const callsOf = ({ request }: Pick<TestApp, 'request'>, { token }: TestAccount) => ({
  get: (path: string) => request.get(`/api${path}`).auth(token, { type: 'bearer' }),
  post: (path: string) => request.post(`/api${path}`).auth(token, { type: 'bearer' }),
  patch: (path: string) => request.patch(`/api${path}`).auth(token, { type: 'bearer' }),
  delete: (path: string) => request.delete(`/api${path}`).auth(token, { type: 'bearer' }),
})
export type Calls = ReturnType<typeof callsOf>

/** Polls an import until an assertion about it passes. */
export const waitForImportStatus = (
  calls: Calls,
  id: string,
  assertion: (current: ImportJson) => void,
): Promise<ImportJson> =>
  vi.waitFor(
    async () => {
      const { body } = await calls.get(`/imports/${id}`).expect(200)
      assertion(body)
      return body as ImportJson
    },
    { timeout: 30_000, interval: 50 },
  )

/** Polls an import until it has ended. */
export const waitForImportEnd = (calls: Calls, id: string): Promise<ImportJson> =>
  waitForImportStatus(calls, id, ({ state }) => expect(['done', 'failed', 'cancelled']).toContain(state))

/** Imports another program's export, and waits until the import has ended. */
export async function importExport(calls: Calls, source: string, file: Buffer, fields: Record<string, string> = {}) {
  const request = calls.post('/imports').field({ source, ...fields })
  const { body } = await request.attach('file', file, 'export.zip').expect(202)
  return waitForImportEnd(calls, body.id)
}

/** Reads all conversations of a user, including archived ones. */
export async function conversationsOf(calls: Calls): Promise<ChatSessionDetailJson[]> {
  const { body } = await calls.get('/chat/sessions?archived=any').expect(200)
  const ids = (body as { id: string }[]).map(({ id }) => id)
  return Promise.all(ids.map(async (id) => (await calls.get(`/chat/sessions/${id}`)).body))
}

/** State and counts of an import. */
export const importCounts = ({ state, found, imported, skipped }: ImportJson) => ({ state, found, imported, skipped })

/** Reads all items of a user, by filename. */
export async function itemsByName(calls: Calls): Promise<Map<string, MediaDetailJson>> {
  const { body } = await calls.get('/media/library').expect(200)
  const details = (body as LibraryJson).media_items.map(async ({ id, metadata }) => {
    const { body: item } = await calls.get(`/media/${id}`).expect(200)
    return [metadata.original_filename, item as MediaDetailJson] as const
  })
  return new Map(await Promise.all(details))
}
