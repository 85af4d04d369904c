import type { ChatSessionDetailJson, ImportJson, LibraryJson, MediaDetailJson } from '@mira/shared'
import { expect, vi } from 'vitest'
import type { TestAccount, TestApp } from './test-app.ts'

/** The API as an account calls it. */
export const callsOf = ({ request }: Pick<TestApp, 'request'>, { token }: TestAccount) => ({
  get: (path: string) => request.get(`/api${path}`).auth(token, { type: 'bearer' }),
  post: (path: string) => request.post(`/api${path}`).auth(token, { type: 'bearer' }),
  patch: (path: string) => request.patch(`/api${path}`).auth(token, { type: 'bearer' }),
  delete: (path: string) => request.delete(`/api${path}`).auth(token, { type: 'bearer' }),
})
export type Calls = ReturnType<typeof callsOf>

/** Reads an import until it holds what is awaited. */
export const importReaches = (calls: Calls, id: string, holds: (brought: ImportJson) => void): Promise<ImportJson> =>
  vi.waitFor(
    async () => {
      const { body } = await calls.get(`/imports/${id}`).expect(200)
      holds(body)
      return body as ImportJson
    },
    { timeout: 30_000, interval: 50 },
  )

/** Reads an import until it is over. */
export const importIsOver = (calls: Calls, id: string): Promise<ImportJson> =>
  importReaches(calls, id, ({ state }) => expect(['done', 'failed', 'cancelled']).toContain(state))

/** Brings what another program exported, and waits until that is over. */
export async function bringExport(calls: Calls, source: string, file: Buffer, fields: Record<string, string> = {}) {
  const request = calls.post('/imports').field({ source, ...fields })
  const { body } = await request.attach('file', file, 'export.zip').expect(202)
  return importIsOver(calls, body.id)
}

/** All conversations of a person, also archived ones. */
export async function conversationsOf(calls: Calls): Promise<ChatSessionDetailJson[]> {
  const { body } = await calls.get('/chat/sessions?archived=any').expect(200)
  const ids = (body as { id: string }[]).map(({ id }) => id)
  return Promise.all(ids.map(async (id) => (await calls.get(`/chat/sessions/${id}`)).body))
}

/** State and counts of an import. */
export const importCounts = ({ state, found, imported, skipped }: ImportJson) => ({ state, found, imported, skipped })

/** All items of a person, by the names of their files. */
export async function libraryOf(calls: Calls): Promise<Map<string, MediaDetailJson>> {
  const { body } = await calls.get('/media/library').expect(200)
  const details = (body as LibraryJson).media_items.map(async ({ id, metadata }) => {
    const { body: item } = await calls.get(`/media/${id}`).expect(200)
    return [metadata.original_filename, item as MediaDetailJson] as const
  })
  return new Map(await Promise.all(details))
}
