import { stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '@mira/client'
import { type LocalFile, sha256Of } from './files.ts'
import { isTemporary, type Sending, sendFile, withRetries } from './send-file.ts'

/** Number of files that one request checks for duplicates. */
const BATCH_FILES = 50
const CONCURRENT_UPLOADS = 3

/** Result of one file's upload. */
export type Outcome = { path: string } & ({ outcome: 'added' | 'known'; id: string } | Failed)

interface Failed {
  outcome: 'failed'
  detail: string
  code: string
}

export interface UploadListener {
  onProgress: (file: LocalFile, sentBytes: number) => void
  onOutcome: (file: LocalFile, outcome: Outcome, canRetry: boolean) => void
}

/** Maximum attempts at a file whose upload fails temporarily while the server responds to other requests. */
const MAX_PASSES = 3
const POLL_MS = 30_000

/**
 * Uploads files. After a temporary failure, a file is retried once the server is back; it fails when the signal aborts.
 * @param options.onUnavailable called with the error message each time the server becomes unavailable.
 */
export async function uploadWithRetries(
  files: LocalFile[],
  sending: Omit<Sending, 'onProgress'>,
  { onProgress, onOutcome }: UploadListener,
  { onUnavailable, signal }: { onUnavailable: (detail: string) => void; signal: AbortSignal },
): Promise<void> {
  let passes = 0
  for (let remaining = files; remaining.length > 0; ) {
    const isLastPass = ++passes === MAX_PASSES || signal.aborted
    const retries: LocalFile[] = []
    await uploadFiles(remaining, sending, {
      onProgress,
      onOutcome: (file, outcome, canRetry) => {
        if (canRetry && !isLastPass && !signal.aborted) retries.push(file)
        else onOutcome(file, outcome, canRetry)
      },
    })
    if (retries.length > 0 && (await waitForServer(sending, onUnavailable, signal))) passes = 0
    // files may have changed or been deleted while waiting
    const current = await Promise.all(
      retries.map(async ({ path }) => {
        const stats = await stat(path).catch(() => null)
        return stats && { path, sizeBytes: stats.size }
      }),
    )
    remaining = current.filter((file) => file !== null)
  }
}

/** Waits until the server responds or the signal aborts. @returns true when it was unavailable. */
async function waitForServer(
  { mira }: Pick<Sending, 'mira'>,
  onUnavailable: (detail: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  for (let wasAway = false; ; wasAway = true) {
    const failure = await mira.call('POST /media/known', { json: { sha256: ['0'.repeat(64)] } }).then(
      () => null,
      (error: unknown) => (isTemporary(error) ? (error as ApiError) : null),
    )
    if (failure === null || signal.aborted) return wasAway
    if (!wasAway) onUnavailable(failure.detail)
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Uploads files that the server doesn't have yet; a refused file doesn't stop the others. */
export async function uploadFiles(
  files: LocalFile[],
  sending: Omit<Sending, 'onProgress'>,
  { onProgress, onOutcome }: UploadListener,
): Promise<void> {
  for (let start = 0; start < files.length; start += BATCH_FILES) {
    const batch = files.slice(start, start + BATCH_FILES)
    const report = (file: LocalFile, { canRetry = false, ...outcome }: Outcome & { canRetry?: boolean }) =>
      onOutcome(file, outcome, canRetry)
    const hashed = await withHashes(batch, report)
    const known = await knownItems(sending, [...new Set(hashed.map(({ sha256 }) => sha256))]).catch(failureOf)
    if ('outcome' in known) {
      for (const { file } of hashed) report(file, { path: file.path, ...known })
      continue
    }
    const waiting = hashed.values()
    const work = async () => {
      for (const { file, sha256 } of waiting) {
        const knownId = known.get(sha256)
        if (knownId !== undefined) report(file, { path: file.path, outcome: 'known', id: knownId })
        else {
          const outcome = await trySending(file, sha256, { ...sending, onProgress: (sent) => onProgress(file, sent) })
          report(file, outcome)
        }
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, work))
  }
}

async function withHashes(batch: LocalFile[], report: (file: LocalFile, outcome: Outcome) => void) {
  const hashed: { file: LocalFile; sha256: string }[] = []
  for (const file of batch) {
    try {
      hashed.push({ file, sha256: await sha256Of(file) })
    } catch (error) {
      report(file, { path: file.path, ...failureOf(error) })
    }
  }
  return hashed
}

/** Ids of the items that the server already has, by hash. */
async function knownItems({ mira }: Pick<Sending, 'mira'>, hashes: string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map()
  const { known } = await withRetries(() => mira.call('POST /media/known', { json: { sha256: hashes } }))
  return new Map(known.map(({ sha256, id }) => [sha256, id]))
}

async function trySending(
  file: LocalFile,
  sha256: string,
  sending: Sending,
): Promise<Outcome & { canRetry?: boolean }> {
  try {
    const { id, isDuplicate } = await sendFile(file, sha256, sending)
    return { path: file.path, outcome: isDuplicate ? 'known' : 'added', id }
  } catch (error) {
    return { path: file.path, ...failureOf(error) }
  }
}

/** Outcome for a file whose upload failed. @throws an error about the token, which would concern every file. */
function failureOf(error: unknown): Failed & { canRetry: boolean } {
  if (!(error instanceof ApiError)) {
    const detail = `The file can’t be read: ${(error as Error).message}`
    return { outcome: 'failed', detail, code: 'unreadable', canRetry: false }
  }
  if (error.status === 401 || error.status === 403) throw error
  return { outcome: 'failed', detail: error.detail, code: error.code, canRetry: isTemporary(error) }
}
