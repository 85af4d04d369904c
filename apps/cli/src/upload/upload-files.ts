import { stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { ApiError } from '@mira/client'
import { type LocalFile, sha256Of } from './files.ts'
import { isTemporary, type Sending, sendFile, withRetries } from './send-file.ts'

/** Asked about at once, and sent side by side. */
const BATCH_FILES = 50
const AT_ONCE = 3

/** Result of one file's upload. */
export type Outcome = { path: string } & ({ outcome: 'added' | 'known'; id: string } | Failed)

interface Failed {
  outcome: 'failed'
  detail: string
  code: string
}

export interface UploadListener {
  onProgress: (file: LocalFile, sentBytes: number) => void
  /** @param mayPass true for a failure that may pass without anybody changing anything. */
  onOutcome: (file: LocalFile, outcome: Outcome, mayPass: boolean) => void
}

/** Passes over a file whose failures might pass, while the server answers otherwise. */
const MAX_PASSES = 3
const LOOK_AGAIN_MS = 30_000

/**
 * Sends files; those that a server couldn't take because it was away are sent when it's back, or have failed when the signal
 * aborts.
 * @param options.onAway called with a sentence once for each time that the server is away.
 */
export async function uploadPatiently(
  files: LocalFile[],
  sending: Omit<Sending, 'onProgress'>,
  { onProgress, onOutcome }: UploadListener,
  { onAway, signal }: { onAway: (detail: string) => void; signal: AbortSignal },
): Promise<void> {
  let passes = 0
  for (let left = files; left.length > 0; ) {
    const isLastPass = ++passes === MAX_PASSES || signal.aborted
    const again: LocalFile[] = []
    await uploadFiles(left, sending, {
      onProgress,
      onOutcome: (file, outcome, mayPass) => {
        if (mayPass && !isLastPass && !signal.aborted) again.push(file)
        else onOutcome(file, outcome, mayPass)
      },
    })
    if (again.length > 0 && (await waitForServer(sending, onAway, signal))) passes = 0
    // one may have been changed, or be gone, meanwhile
    const current = await Promise.all(
      again.map(async ({ path }) => {
        const stats = await stat(path).catch(() => null)
        return stats && { path, sizeBytes: stats.size }
      }),
    )
    left = current.filter((file) => file !== null)
  }
}

/** Returns true when the server was away and is back, or nobody waits any more. */
async function waitForServer(
  { mira }: Pick<Sending, 'mira'>,
  onAway: (detail: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  for (let wasAway = false; ; wasAway = true) {
    const failure = await mira.call('POST /media/known', { json: { sha256: ['0'.repeat(64)] } }).then(
      () => null,
      (error: unknown) => (isTemporary(error) ? (error as ApiError) : null),
    )
    if (failure === null || signal.aborted) return wasAway
    if (!wasAway) onAway(failure.detail)
    await wait(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Sends the files that the server does not have yet; one that is refused does not hold up the others. */
export async function uploadFiles(
  files: LocalFile[],
  sending: Omit<Sending, 'onProgress'>,
  { onProgress, onOutcome }: UploadListener,
): Promise<void> {
  for (let start = 0; start < files.length; start += BATCH_FILES) {
    const batch = files.slice(start, start + BATCH_FILES)
    const tell = (file: LocalFile, { mayPass = false, ...outcome }: Outcome & { mayPass?: boolean }) =>
      onOutcome(file, outcome, mayPass)
    const hashed = await withHashes(batch, tell)
    const known = await knownItems(sending, [...new Set(hashed.map(({ sha256 }) => sha256))]).catch(failureOf)
    if ('outcome' in known) {
      for (const { file } of hashed) tell(file, { path: file.path, ...known })
      continue
    }
    const waiting = hashed.values()
    const work = async () => {
      for (const { file, sha256 } of waiting) {
        const there = known.get(sha256)
        if (there !== undefined) tell(file, { path: file.path, outcome: 'known', id: there })
        else {
          const outcome = await trySending(file, sha256, { ...sending, onProgress: (sent) => onProgress(file, sent) })
          tell(file, outcome)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
}

async function withHashes(batch: LocalFile[], tell: (file: LocalFile, outcome: Outcome) => void) {
  const hashed: { file: LocalFile; sha256: string }[] = []
  for (const file of batch) {
    try {
      hashed.push({ file, sha256: await sha256Of(file) })
    } catch (error) {
      tell(file, { path: file.path, ...failureOf(error) })
    }
  }
  return hashed
}

/** Ids of the items that there are, by their hash. */
async function knownItems({ mira }: Pick<Sending, 'mira'>, hashes: string[]): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map()
  const { known } = await withRetries(() => mira.call('POST /media/known', { json: { sha256: hashes } }))
  return new Map(known.map(({ sha256, id }) => [sha256, id]))
}

async function trySending(file: LocalFile, sha256: string, sending: Sending): Promise<Outcome & { mayPass?: boolean }> {
  try {
    const { id, isDuplicate } = await sendFile(file, sha256, sending)
    return { path: file.path, outcome: isDuplicate ? 'known' : 'added', id }
  } catch (error) {
    return { path: file.path, ...failureOf(error) }
  }
}

/** Outcome of files with this error. @throws one that no other file would escape with this token. */
function failureOf(error: unknown): Failed & { mayPass: boolean } {
  if (!(error instanceof ApiError)) {
    const detail = `It cannot be read: ${(error as Error).message}`
    return { outcome: 'failed', detail, code: 'unreadable', mayPass: false }
  }
  if (error.status === 401 || error.status === 403) throw error
  return { outcome: 'failed', detail: error.detail, code: error.code, mayPass: isTemporary(error) }
}
