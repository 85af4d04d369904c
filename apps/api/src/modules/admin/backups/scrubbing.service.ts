import type { Readable } from 'node:stream'
import type { FileScrubbing } from '@mira/shared'
import { UnavailableError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { NotificationsService } from '../../automation/index.ts'
import { isUpdateArchive, storedFile } from './archive.ts'
import { openArchive } from './archive-check.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import { findProblem, unknownFiles } from './check-files.ts'
import type { ArchiveFile } from './own-archives.store.ts'
import type { FileProblem, ScrubbingStore, ScrubMark } from './scrubbing.store.ts'

/** A backup that may contain a stored file. */
export interface RepairSource {
  name: string
  /** Content of a stored file; null when the backup doesn't contain it. */
  open(path: string): Promise<Readable | null>
  close(): void
}

interface ScrubbingDeps {
  store: ScrubbingStore
  files: Pick<Files, 'open' | 'receive' | 'check' | 'list'>
  /** Backups, best first; each is closed before the next is opened. */
  sources(signal: AbortSignal): AsyncIterable<RepairSource>
  notifications: Pick<NotificationsService, 'notify'>
  now(): Date
  log: Log
  bytesPerSecond?: number
}

const DAY_MS = 24 * 60 * 60_000
/** Planned duration of a pass: less than half of the promised 30 days, since a slow pass may follow a fast one. */
const PASS_MS = 14 * DAY_MS
const MIN_FILES_PER_RUN = 50
const BATCH_FILES = 50
const MAX_RUN_MS = 20 * 60_000
const BYTES_PER_SECOND = 20 * 1024 * 1024
/** Number of problems after which a run stops, since so many mean that the disk is gone rather than single files. */
const MAX_PROBLEMS_PER_RUN = 100
/** The same for files that can't be opened. */
const MAX_UNCHECKED_PER_RUN = 20
const MAX_LOGGED = 20
const LINK = '/admin?tab=settings'

export type ScrubbingService = ReturnType<typeof createScrubbingService>

/** Verifies every stored file within 30 days, some each hour, and repairs damaged ones from backups. */
export function createScrubbingService(deps: ScrubbingDeps) {
  const { store, files, notifications, log, now, bytesPerSecond = BYTES_PER_SECOND } = deps

  /** Replaces a file with the backup's copy. @returns false when the backup has no copy with the hash of the path. */
  const repairFrom = async (source: RepairSource, path: string): Promise<boolean> => {
    const copy = await source.open(path)
    if (copy === null) return false
    const [ownerId = '', , sha256] = path.split('/')
    const received = await files.receive(copy)
    // A file that was deleted meanwhile must not come back.
    if (received.sha256 !== sha256 || !(await store.isReferenced(path))) {
      await received.discard()
      return false
    }
    await received.store(ownerId)
    await store.saveRepair(path, source.name)
    return true
  }

  /** Repairs files from the backups. @returns the number of repaired files. */
  const repair = async (paths: readonly string[], signal: AbortSignal): Promise<number> => {
    let remaining = [...paths]
    if (remaining.length === 0) return 0
    for await (const source of deps.sources(signal)) {
      const unrepaired: string[] = []
      try {
        for (const path of remaining) {
          signal.throwIfAborted()
          const isRepaired = await repairFrom(source, path).catch((error: unknown) => {
            log.warn({ err: error, from: source.name }, 'a damaged file could not be repaired from a backup')
            return false
          })
          if (!isRepaired) unrepaired.push(path)
        }
      } finally {
        source.close()
      }
      remaining = unrepaired
      if (remaining.length === 0) break
    }
    return paths.length - remaining.length
  }

  /** Stores the result of checking a file. */
  const record = async (path: string, problem: FileProblem | null): Promise<{ isProblem: boolean; isNew: boolean }> => {
    const isDeleted = problem === 'missing' && !(await store.isReferenced(path))
    if (problem === null || isDeleted) {
      await store.forget(path)
      return { isProblem: false, isNew: false }
    }
    log.error({ path, problem }, 'a stored file is damaged or missing')
    return { isProblem: true, isNew: await store.report(path, problem) }
  }

  const countUnknown = async (signal: AbortSignal): Promise<number> => {
    let count = 0
    for await (const paths of unknownFiles(files, store, signal)) {
      if (paths.length > 0) log.warn({ paths: paths.slice(0, MAX_LOGGED) }, 'stored files without a row')
      count += paths.length
    }
    return count
  }

  const currentPass = async (): Promise<ScrubMark> => {
    const mark = await store.mark()
    if (mark !== null && !(mark.isFinished && now().getTime() - Date.parse(mark.startedAt) >= PASS_MS)) return mark
    const startedAt = now().toISOString()
    return {
      ...mark,
      startedAt,
      position: '',
      fileCount: 0,
      isFinished: false,
      retriedAt: mark?.retriedAt ?? startedAt,
    }
  }

  return {
    /** Handler of `scrub-files`. Checks as many files as keep the pass on schedule, and repairs damaged ones. */
    async run(signal: AbortSignal): Promise<void> {
      await files.check()
      const deadline = performance.now() + MAX_RUN_MS
      const mark = await currentPass()
      const total = await store.countFiles()
      const share = Math.min(1, (now().getTime() - Date.parse(mark.startedAt)) / PASS_MS)
      const dueCount = mark.isFinished ? 0 : Math.max(MIN_FILES_PER_RUN, Math.ceil(total * share) - mark.fileCount)
      const problems: string[] = []
      let newProblemCount = 0
      let uncheckedCount = 0
      const checkNext = async (path: string) => {
        let problem: FileProblem | null
        try {
          problem = await findProblem(files, path, { signal, bytesPerSecond })
        } catch (error) {
          signal.throwIfAborted()
          // A single file that can't be opened mustn't end every run at the same place; many mean that the disk is unavailable.
          if (error instanceof UnavailableError || ++uncheckedCount > MAX_UNCHECKED_PER_RUN) throw error
          log.warn({ err: error, path }, 'a stored file could not be checked')
          return
        }
        const { isProblem, isNew } = await record(path, problem)
        if (isProblem) problems.push(path)
        if (isNew) newProblemCount++
      }
      const checkDue = async () => {
        if (now().getTime() - Date.parse(mark.retriedAt) >= DAY_MS) {
          mark.retriedAt = now().toISOString()
          for (const path of await store.listDamaged()) await checkNext(path)
        }
        for (
          let doneCount = 0;
          doneCount < dueCount && problems.length < MAX_PROBLEMS_PER_RUN && performance.now() < deadline;
        ) {
          const paths = await store.nextFiles(mark.position, Math.min(BATCH_FILES, dueCount - doneCount))
          for (const path of paths) {
            if (!problems.includes(path)) await checkNext(path)
            doneCount++
            mark.position = path
            mark.fileCount++
          }
          mark.isFinished = paths.length === 0
          await store.saveMark(mark)
          if (!mark.isFinished) continue
          // Counted after the pass has ended, so that a folder that can't be listed doesn't stop all later passes.
          mark.unknownCount = await countUnknown(signal)
          break
        }
        await store.saveMark(mark)
      }
      // What was found is repaired and reported even when the check ends early: in the next run it's no longer new.
      const failure = await checkDue().then(
        () => null,
        (error: unknown) => ({ error }),
      )
      let repaired = 0
      try {
        signal.throwIfAborted()
        repaired = await repair(problems, signal)
      } finally {
        if (newProblemCount > 0 || repaired > 0) {
          const params = { count: problems.length, repaired }
          const notify = (userId: string) => notifications.notify(userId, { kind: 'files_damaged', params, link: LINK })
          await tryEach(await store.listAdminIds(), notify)
        }
      }
      if (failure !== null) throw failure.error
    },

    async state(): Promise<FileScrubbing> {
      const [mark, counts] = await Promise.all([store.mark(), store.counts()])
      return {
        ...counts,
        unknown: mark?.unknownCount ?? 0,
        checked: mark?.fileCount ?? 0,
        pass_started_at: mark === null ? null : new Date(mark.startedAt),
        pass_finished: mark?.isFinished ?? false,
      }
    },
  }
}

/**
 * Backups to repair files from: the off-site copies, then the archives of a folder, newest first. Skips archives that can't
 * be opened or for which there's no space to decrypt them.
 */
export async function* repairSources({
  folder,
  passphrase,
  scratch,
  spareBytes,
  offsite,
  log,
}: {
  folder: Pick<ArchiveFolder, 'list' | 'fileOf'>
  passphrase: string | undefined
  /** Folder in which encrypted archives are decrypted. */
  scratch: string
  /** Space that decrypting may use. */
  spareBytes(): Promise<number>
  offsite: { repairSource(): Promise<RepairSource | null> }
  log: Log
}): AsyncGenerator<RepairSource> {
  const copies = await offsite.repairSource()
  if (copies !== null) yield copies
  const askPassphrase = passphrase === undefined ? undefined : async () => passphrase
  const open = async ({ fileName, sizeBytes }: ArchiveFile) => {
    try {
      const spare = fileName.endsWith('.sealed') ? await spareBytes() : sizeBytes
      if (sizeBytes <= spare)
        return await openArchive(folder.fileOf(fileName), { folders: [scratch], passphrase: askPassphrase })
      log.warn({ fileName, sizeBytes, spareBytes: spare }, 'a backup is not used for repairs: no space to decrypt it')
    } catch (error) {
      log.warn({ err: error, fileName }, 'a backup could not be opened to repair files')
    }
    return null
  }
  const archives = await folder.list().catch((error: unknown) => {
    log.warn({ err: error }, 'the backups could not be listed to repair files')
    return []
  })
  const newestFirst = archives.sort((a, b) => (a.fileName < b.fileName ? 1 : -1))
  for (const archive of newestFirst.filter(({ fileName }) => !isUpdateArchive(fileName))) {
    const zip = await open(archive)
    if (zip === null) continue
    yield {
      name: archive.fileName,
      open: async (path) => (zip.sizes.has(storedFile(path)) ? zip.open(storedFile(path)) : null),
      close: () => zip.close(),
    }
  }
}
