import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { NotFoundError } from '../../../../errors.ts'
import type { TaskResults, TaskRun } from '../task.ts'
import { createMemoryUpdate } from './memory-update.ts'

test('reports stored files that are missing, changed or unreadable, and verifies the others', async () => {
  const failures: unknown[] = []
  const results: TaskResults = {}
  const sha256 = createHash('sha256').update('whole').digest('hex')
  const contents: Record<string, () => AsyncIterable<Uint8Array>> = {
    changed: async function* () {
      yield Buffer.from('changed')
    },
    broken: async function* () {
      yield Buffer.from('wh')
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
    },
    whole: async function* () {
      yield Buffer.from('whole')
    },
  }
  const task = createMemoryUpdate({
    upkeep: {
      failedSteps: async () => [],
      countUnreferencedFiles: async () => 0,
      removeOrphanRows: async () => 0,
      readLastVerifiedId: async () => null,
      storeLastVerifiedId: async () => {},
      originals: async () =>
        ['lost', 'changed', 'broken', 'whole'].map((path) => ({ id: path, path, sha256, sizeBytes: 5 })),
    },
    embeddings: { activeProfile: async () => null },
    embeddingSwitch: { run: async () => {} },
    knownItems: { measure: async () => ({ askedCount: 0, foundCount: 0 }) },
    files: {
      open: async (path: string) => {
        const content = contents[path]
        if (content === undefined) throw new NotFoundError('This file is not there.')
        return { sizeBytes: 5, stream: Readable.from(content(), { objectMode: false }) }
      },
    },
  } as never)
  await task.run({
    signal: new AbortController().signal,
    note: () => {},
    step: async (_name: string, act: Parameters<TaskRun['step']>[1]) => {
      const progress = {
        total: () => {},
        done: () => {},
        failed: ({ sentences }: { sentences: object[] }) => failures.push(sentences[0]),
      }
      Object.assign(results, await act(progress))
    },
  } as never)
  expect(results).toMatchObject({ files_verified: 4, files_damaged: 3 })
  expect(failures).toMatchObject([
    { params: { item: 'lost', how: 'missing' } },
    { params: { item: 'changed', how: 'changed' } },
    { params: { item: 'broken', how: 'changed' } },
  ])
})
