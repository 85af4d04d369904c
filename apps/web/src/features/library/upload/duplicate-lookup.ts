import type { QueueEntry } from './queue-entry.ts'

/** Lookup of files that are in the memory already. */
export interface KnownFiles {
  /** SHA-256, hexadecimal. */
  sha256Of: (file: File) => Promise<string>
  /** Ids of the items that there are, by their hash. */
  fetchKnownItems: (hashes: readonly string[]) => Promise<Map<string, string>>
}

export interface LookupTools {
  knownFiles: KnownFiles | undefined
  /** The files that are still to be looked for, in their order. */
  next: () => readonly QueueEntry[]
  /** Takes what was found: the id of the item that has the same bytes, or null. */
  settle: (entryId: number, mediaId: string | null) => Promise<void>
}

/** Limits of one lookup: number of files or bytes, whichever is reached first. */
const MAX_FILES = 20
const MAX_BYTES = 64 * 1024 * 1024
/** Reading a larger one twice takes minutes: it is sent, and known by the server when it has arrived. */
const MAX_FILE_BYTES = 2 * 1024 ** 3

/** Looks which files of the queue the memory has before a byte of them is sent, some at a time; a file that it cannot tell of is new. */
export function createKnownLookup({ knownFiles, next, settle }: LookupTools): { look: () => void } {
  let isLooking = false

  async function lookAtSome({ sha256Of, fetchKnownItems }: KnownFiles, some: readonly QueueEntry[]): Promise<void> {
    const hashes = new Map<number, string>()
    for (const { id, file } of some) {
      if (file.size > MAX_FILE_BYTES) continue
      // one that cannot be read fails when it is sent, which says why
      await sha256Of(file).then(
        (hash) => hashes.set(id, hash),
        (error: unknown) => console.warn('A file could not be hashed', error),
      )
    }
    const uniqueHashes = [...new Set(hashes.values())]
    const idsByHash = uniqueHashes.length === 0 ? new Map<string, string>() : await fetchKnownItems(uniqueHashes)
    for (const { id } of some) await settle(id, idsByHash.get(hashes.get(id) ?? '') ?? null)
  }

  const lookAtAll = async (lookup: KnownFiles) => {
    for (let some = firstOf(next()); some.length > 0; some = firstOf(next())) {
      await lookAtSome(lookup, some).catch(async (error: unknown) => {
        console.warn('It is not known which files are there already', error)
        for (const { id } of some) await settle(id, null)
      })
    }
  }

  return {
    look() {
      if (isLooking || knownFiles === undefined) return
      isLooking = true
      void lookAtAll(knownFiles).finally(() => {
        isLooking = false
      })
    },
  }
}

function firstOf(entries: readonly QueueEntry[]): readonly QueueEntry[] {
  let bytes = 0
  return entries.slice(0, MAX_FILES).filter(({ file }, at) => {
    bytes += file.size
    return at === 0 || bytes <= MAX_BYTES
  })
}
