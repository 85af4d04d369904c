import { type Sentence, say } from '@mira/shared'
import { AppError, NotFoundError, sentenceOf } from '../../../../errors.ts'
import type { Task, TaskRun } from '../task.ts'

/** An original of a person. */
export interface OriginalRow {
  id: string
  path: string
  sha256: string
  sizeBytes: number
}

export interface MemoryUpdateDeps {
  /** Items that lack vectors of the model that is searched with, some at a time; null when nothing makes any. */
  lackingVectors(
    kind: 'text' | 'image',
    limit: number,
    without: string[],
  ): Promise<{ id: string; userId: string | null }[] | null>
  makeVectors(
    kind: 'text' | 'image',
    item: { id: string; userId: string | null },
    signal: AbortSignal,
  ): Promise<unknown>
  /** Goes on with taking another model over, where one was chosen. */
  switchModel(kind: 'text' | 'image', signal: AbortSignal): Promise<void>
  /** Steps that failed some time ago, by item. */
  failedSteps(limit: number): Promise<{ id: string; userId: string; steps: string[] }[]>
  /** @throws NotFoundError when the item has gone meanwhile. */
  retrySteps(item: { id: string; userId: string; steps: string[] }): Promise<void>
  countLooseFiles(): Promise<number>
  removeLooseFiles(signal: AbortSignal): Promise<void>
  removeOrphanRows(): Promise<number>
  /** The next originals after one, in the order of their ids. */
  originals(afterId: string | null, limit: number): Promise<OriginalRow[]>
  /** Position at which verification last stopped and now continues. */
  readMark(): Promise<string | null>
  writeMark(id: string | null): Promise<void>
  /** SHA-256 of a stored file, hexadecimal. @throws NotFoundError */
  hashOf(path: string, signal: AbortSignal): Promise<string>
  /** Tries whether what people's memories hold is found; keeps figures alone. */
  tryKnownItems(
    at: Date,
    progress: { total(count: number): void; done(): void },
    signal: AbortSignal,
  ): Promise<{ asked: number; found: number }>
}

const MINUTE_MS = 60_000
const ITEMS_AT_ONCE = 20
const MAX_EMBEDDED = 2000
const MAX_RETRIED = 50
/** So much is read in one run: with a run a day everything is verified in time. */
const MAX_VERIFIED = 1000
const MAX_VERIFIED_BYTES = 4 * 1024 ** 3
const kinds = ['text', 'image'] as const

/**
 * Keeps the memory whole: vectors, steps that failed, what is left over, whether files are as they were stored, and whether
 * what is known is found.
 */
export function createMemoryUpdate(deps: MemoryUpdateDeps): Task {
  const embed = (run: TaskRun, kind: (typeof kinds)[number]) =>
    run.step(`vectors_${kind}`, async (progress) => {
      await deps.switchModel(kind, run.signal)
      const tried: string[] = []
      let failed = 0
      for (;;) {
        run.signal.throwIfAborted()
        const items = await deps.lackingVectors(kind, ITEMS_AT_ONCE, tried)
        if (items === null) {
          const what = kind === 'text' ? 'texts' : 'pictures'
          run.note('info', say('no_vectors', { kind }, `Nothing makes vectors of ${what} here.`))
          break
        }
        for (const item of items) {
          run.signal.throwIfAborted()
          tried.push(item.id)
          try {
            await deps.makeVectors(kind, item, run.signal)
            progress.done()
          } catch (error) {
            run.signal.throwIfAborted()
            failed++
            progress.failed(itemFailed(item.id, error))
          }
        }
        // an engine that fails for all of them fails for the rest as well
        if (items.length < ITEMS_AT_ONCE || tried.length >= MAX_EMBEDDED || failed >= ITEMS_AT_ONCE) break
      }
      return { [`${kind}_embedded`]: tried.length - failed, [`${kind}_failed`]: failed }
    })

  const retry = (run: TaskRun) =>
    run.step('failed_steps', async (progress) => {
      const items = await deps.failedSteps(MAX_RETRIED)
      progress.total(items.length)
      for (const item of items) {
        run.signal.throwIfAborted()
        await deps.retrySteps(item).catch((error: unknown) => {
          if (!(error instanceof NotFoundError)) throw error
        })
        progress.done()
      }
      return { steps_retried: items.length }
    })

  const removeOrphans = (run: TaskRun) =>
    run.step('orphans', async (progress) => {
      const files = await deps.countLooseFiles()
      progress.total(files)
      if (files > 0) await deps.removeLooseFiles(run.signal)
      progress.done(files)
      return { orphans_removed: files + (await deps.removeOrphanRows()) }
    })

  const verify = (run: TaskRun) =>
    run.step('verify', async (progress) => {
      const mark = await deps.readMark()
      let files = await deps.originals(mark, MAX_VERIFIED)
      // at the end it begins anew; one mark is too little to verify what is before it twice
      if (files.length === 0 && mark !== null) files = await deps.originals(null, MAX_VERIFIED)
      progress.total(files.length)
      let bytes = 0
      let verified = 0
      const damaged: string[] = []
      for (const file of files) {
        run.signal.throwIfAborted()
        const found = await deps.hashOf(file.path, run.signal).catch((error: unknown) => {
          if (error instanceof NotFoundError) return null
          throw error
        })
        if (found !== file.sha256) {
          damaged.push(file.id)
          const text = `The file of item ${file.id} ${found === null ? 'is missing' : 'is not as it was stored'}.`
          progress.failed(say('file_damaged', { item: file.id, how: found === null ? 'missing' : 'changed' }, text))
        }
        verified++
        bytes += file.sizeBytes
        progress.done()
        await deps.writeMark(file.id)
        if (bytes >= MAX_VERIFIED_BYTES) break
      }
      if (verified === files.length && files.length < MAX_VERIFIED) await deps.writeMark(null)
      return {
        files_verified: verified,
        files_damaged: damaged.length,
        ...(damaged.length > 0 ? { success: false } : {}),
      }
    })

  const tryFinding = (run: TaskRun) =>
    run.step('known_items', async ({ total, done }) => {
      const { asked, found } = await deps.tryKnownItems(run.at, { total, done }, run.signal)
      return { known_items_asked: asked, known_items_found: found }
    })

  return {
    schedule: '0 3 * * *',
    timeLimitMs: 4 * 60 * MINUTE_MS,
    async run(run) {
      for (const kind of kinds) await embed(run, kind)
      await retry(run)
      await removeOrphans(run)
      await verify(run)
      await tryFinding(run)
    },
  }
}

function itemFailed(item: string, error: unknown): Sentence {
  const message = error instanceof Error ? error.message : String(error)
  const { text, told }: Sentence = error instanceof AppError ? sentenceOf(error) : { text: message, told: [] }
  return {
    text: `Item ${item}: ${text}`,
    told: told.length > 0 ? [{ code: 'item_failed', params: { item } }, ...told] : [],
  }
}
