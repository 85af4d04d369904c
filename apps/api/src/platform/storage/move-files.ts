import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { NotFoundError } from '../../errors.ts'
import { sha256Of } from '../lib/hashing.ts'
import { openUntilBadSector } from './bad-sectors.ts'
import type { Files, ListedFile, ReceivedFile } from './files.ts'

const FILES_AT_ONCE = 4

interface MovedFiles {
  /** Files in the target whose hash was verified. */
  verifiedCount: number
  verifiedBytes: number
  /** Verified files that an earlier run had copied. */
  earlierCount: number
  /** Paths whose content in the source doesn't match the hash; they aren't moved. */
  damaged: string[]
  /** Files removed from the source. */
  removedCount: number
}

/**
 * Copies all files of a store to another store, reads each copy back and compares its hash. Verified paths are written to a
 * journal, with which a later run resumes an interrupted one. A run with `isRemoving` compares all files again nevertheless.
 * @param options.isRemoving also removes every file verified by this run from the source, at the end.
 * @throws what either store throws; the move can then be run again.
 */
export async function moveFiles(options: {
  from: Files
  to: Files
  /** File with one verified path per line. */
  journal: string
  isRemoving: boolean
  signal: AbortSignal
  onProgress?: (progress: { doneBytes: number; totalBytes: number }) => void
}): Promise<MovedFiles> {
  const { from, to, journal, isRemoving, signal, onProgress = () => {} } = options
  const result: MovedFiles = { verifiedCount: 0, verifiedBytes: 0, earlierCount: 0, damaged: [], removedCount: 0 }
  const earlier = await readLines(journal)
  const sizes = new Map<string, number>()
  for await (const { path, sizeBytes } of to.list()) sizes.set(path, sizeBytes)
  const { sizeBytes: totalBytes } = await from.usage()
  const verified: string[] = []
  let doneBytes = 0

  const isIntact = async (files: Files, path: string) =>
    path.endsWith(`/${await sha256Of((await openUntilBadSector(files, path)).stream, signal)}`)

  /**
   * Receives a file of the source in the target; null when it's damaged. A local file is linked rather than copied, because
   * its disk may be full.
   */
  const receive = async (path: string): Promise<ReceivedFile | null> => {
    const [, , sha256] = path.split('/')
    if (!from.isRemote) {
      if (!(await isIntact(from, path))) return null
      return from.useLocal(path, (filename) => to.receiveFile(filename, sha256))
    }
    const received = await to.receive((await from.open(path)).stream)
    if (received.sha256 === sha256) return received
    await received.discard()
    return null
  }

  const copy = async (path: string): Promise<'moved' | 'damaged' | 'deleted'> => {
    const [ownerId = ''] = path.split('/')
    let received: ReceivedFile | null
    try {
      received = await receive(path)
    } catch (error) {
      if (error instanceof NotFoundError) return 'deleted'
      throw error
    }
    if (received === null) return 'damaged'
    await received.store(ownerId)
    if (!(await isIntact(to, path)))
      throw new Error(`${to.address} returned ${path} with other content than it received`)
    return 'moved'
  }

  const moveOne = async ({ path, sizeBytes }: ListedFile, journalFile: FileHandle) => {
    signal.throwIfAborted()
    const existsInTarget = sizes.get(path) === sizeBytes
    // before removing the source's file, compare again: the copy may have been damaged since an earlier run
    const isVerifiedEarlier = existsInTarget && !isRemoving && earlier.has(path)
    const isCopied = isVerifiedEarlier || (existsInTarget && (await isIntact(to, path)))
    const outcome = isCopied ? 'moved' : await copy(path)
    doneBytes += sizeBytes
    onProgress({ doneBytes, totalBytes })
    if (outcome === 'damaged') result.damaged.push(path)
    if (outcome !== 'moved') return
    if (isCopied) result.earlierCount++
    if (!isVerifiedEarlier) await journalFile.appendFile(`${path}\n`)
    verified.push(path)
    result.verifiedCount++
    result.verifiedBytes += sizeBytes
  }

  const journalFile = await open(journal, 'a', 0o600)
  try {
    await forEach(from.list(), (file) => moveOne(file, journalFile))
    await journalFile.sync()
  } finally {
    await journalFile.close()
  }
  if (result.damaged.length === 0) await rm(journal)
  if (!isRemoving) return result
  for (const path of verified) {
    signal.throwIfAborted()
    await from.delete(path)
    result.removedCount++
  }
  return result
}

/** Processes a few items at a time; after a failure no more are started, and running ones finish. */
async function forEach<Item>(items: AsyncIterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]()
  let hasFailed = false
  const workNext = async () => {
    try {
      while (!hasFailed) {
        const { done, value } = await iterator.next()
        if (done) return
        await work(value)
      }
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  const results = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, workNext))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Lines of a file; none when it doesn't exist. */
async function readLines(filename: string): Promise<Set<string>> {
  const lines = new Set<string>()
  try {
    for await (const line of createInterface({ input: createReadStream(filename) })) lines.add(line)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return lines
}
