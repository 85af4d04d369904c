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
  isTemporary: boolean
}

export interface UploadListener {
  onProgress: (file: LocalFile, sentBytes: number) => void
  onOutcome: (file: LocalFile, outcome: Outcome) => void
}

/**
 * Sends files, and again those that the server can't take for now, until it has taken or refused each, or the signal aborts.
 * @param options.onWait called with what kept a file from being sent for now.
 */
export async function uploadPatiently(
  files: LocalFile[],
  sending: Omit<Sending, 'onProgress'>,
  { onProgress, onOutcome }: UploadListener,
  { onWait, signal }: { onWait: (outcome: Outcome & Failed) => void; signal: AbortSignal },
): Promise<void> {
  for (let left = files; left.length > 0; ) {
    const again: LocalFile[] = []
    await uploadFiles(left, sending, {
      onProgress,
      onOutcome: (file, outcome) => {
        if (outcome.outcome !== 'failed' || !outcome.isTemporary || signal.aborted) return onOutcome(file, outcome)
        again.push(file)
        onWait(outcome)
      },
    })
    left = again
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
    const hashed = await withHashes(batch, onOutcome)
    const known = await knownItems(sending, [...new Set(hashed.map(({ sha256 }) => sha256))]).catch(failureOf)
    if ('outcome' in known) {
      for (const { file } of hashed) onOutcome(file, { path: file.path, ...known })
      continue
    }
    const waiting = hashed.values()
    const work = async () => {
      for (const { file, sha256 } of waiting) {
        const there = known.get(sha256)
        if (there !== undefined) onOutcome(file, { path: file.path, outcome: 'known', id: there })
        else {
          const outcome = await trySending(file, sha256, { ...sending, onProgress: (sent) => onProgress(file, sent) })
          onOutcome(file, outcome)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
}

async function withHashes(batch: LocalFile[], onOutcome: UploadListener['onOutcome']) {
  const hashed: { file: LocalFile; sha256: string }[] = []
  for (const file of batch) {
    try {
      hashed.push({ file, sha256: await sha256Of(file) })
    } catch (error) {
      onOutcome(file, { path: file.path, ...failureOf(error) })
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

async function trySending(file: LocalFile, sha256: string, sending: Sending): Promise<Outcome> {
  try {
    const { id, isDuplicate } = await sendFile(file, sha256, sending)
    return { path: file.path, outcome: isDuplicate ? 'known' : 'added', id }
  } catch (error) {
    return { path: file.path, ...failureOf(error) }
  }
}

/** Outcome of files with this error. @throws one that no other file would escape with this token. */
function failureOf(error: unknown): Failed {
  if (!(error instanceof ApiError)) {
    const detail = `It cannot be read: ${(error as Error).message}`
    return { outcome: 'failed', detail, code: 'unreadable', isTemporary: false }
  }
  if (error.status === 401 || error.status === 403) throw error
  return { outcome: 'failed', detail: error.detail, code: error.code, isTemporary: isTemporary(error) }
}
