import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { NotFoundError } from '../../../../errors.ts'
import type { Sentence } from '../../../../sentences.ts'
import type { TaskResults, TaskRun } from '../task.ts'
import { createMemoryUpdate } from './memory-update.ts'

test('reports steps that can’t be retried and stored files that are missing, changed or unreadable, and goes on', async () => {
  const failures: unknown[] = []
  const retriedIds: string[] = []
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
      failedSteps: async () =>
        ['stuck', 'deleted', 'retried'].map((id) => ({ id, userId: 'anna', steps: ['caption'] })),
      countUnreferencedFiles: async () => 0,
      removeOrphanRows: async () => 0,
      readLastVerifiedId: async () => null,
      storeLastVerifiedId: async () => {},
      originals: async () =>
        ['lost', 'changed', 'broken', 'forbidden', 'whole'].map((path) => ({ id: path, path, sha256, sizeBytes: 5 })),
    },
    embeddings: { activeProfile: async () => null },
    embeddingSwitch: { run: async () => {} },
    processing: {
      reprocess: async (_userId: string, id: string) => {
        if (id === 'stuck') throw new Error('refused')
        if (id === 'deleted') throw new NotFoundError('This item is not there.')
        retriedIds.push(id)
      },
    },
    knownItems: { measure: async () => ({ askedCount: 0, foundCount: 0 }) },
    files: {
      open: async (path: string) => {
        const content = contents[path]
        if (path === 'forbidden') throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
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
        failed: ({ text, sentences }: Sentence) => failures.push(sentences[0] ?? text),
      }
      Object.assign(results, await act(progress))
    },
  } as never)
  expect(retriedIds).toEqual(['retried'])
  expect(results).toMatchObject({ steps_retried: 1, files_verified: 3, files_damaged: 2, files_unreadable: 2 })
  expect(failures).toMatchObject([
    'Item stuck: refused',
    { params: { item: 'lost', how: 'missing' } },
    { params: { item: 'changed', how: 'changed' } },
    'Item broken: EIO: i/o error, read',
    'Item forbidden: EACCES: permission denied',
  ])
})

test('doesn’t count files as verified or damaged that can’t be opened because their disk is away', async () => {
  const marks: unknown[] = []
  const opened: string[] = []
  const damages: unknown[] = []
  const task = createMemoryUpdate({
    upkeep: {
      failedSteps: async () => [],
      countUnreferencedFiles: async () => 0,
      removeOrphanRows: async () => 0,
      readLastVerifiedId: async () => null,
      storeLastVerifiedId: async (id: string) => void marks.push(id),
      originals: async () =>
        Array.from({ length: 30 }, (_, n) => ({ id: `${n}`, path: `${n}`, sha256: 'x', sizeBytes: 5 })),
    },
    embeddings: { activeProfile: async () => null },
    embeddingSwitch: { run: async () => {} },
    files: {
      open: async (path: string) => {
        if (path === '0') throw new NotFoundError('This file is not there.')
        opened.push(path)
        throw Object.assign(new Error('ESTALE: stale file handle'), { code: 'ESTALE' })
      },
    },
  } as never)
  const run = task.run({
    signal: new AbortController().signal,
    note: () => {},
    step: async (_name: string, act: Parameters<TaskRun['step']>[1]) => {
      await act({ total: () => {}, done: () => {}, failed: ({ sentences }: Sentence) => damages.push(...sentences) })
    },
  } as never)
  await expect(run).rejects.toThrow('ESTALE')
  expect(opened).toHaveLength(20)
  expect(damages).toMatchObject([{ params: { item: '0', how: 'missing' } }])
  expect(marks).toEqual(['0'])
})
