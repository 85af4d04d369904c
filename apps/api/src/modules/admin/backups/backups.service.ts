import type { Backup, BackupSchedule, BackupsResponse, BackupTicket } from '@mira/shared'
import { AppError, ConflictError, NotFoundError, StorageFullError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { type Sentence, say, sayAll } from '../../../sentences.ts'
import { latestSlot, type NewNotification, type NotificationsService, nextSlots } from '../../automation/index.ts'
import { archiveName } from './archive.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import type { ArchiveWriter } from './archive-writer.ts'
import type { BackupRow, BackupsStore, ClaimedBackup, ScheduleMark } from './backups.store.ts'
import type { OffsiteService } from './offsite.service.ts'
import { manuallyAddedArchives, removableArchives } from './retention.ts'
import type { ScrubbingService } from './scrubbing.service.ts'

const MAX_LOGGED_PATHS = 20
/** Longest interval between scheduled backups: a week, with a margin for clock changes. */
const MAX_INTERVAL_MS = 8 * 24 * 3_600_000

/** The last scheduled time before a moment and the next one after it; null when backups aren't scheduled. */
function slotsAround(schedule: BackupSchedule, moment: Date): { latest: Date; next: Date } | null {
  if (schedule.every === 'never') return null
  const [hour, minute] = schedule.at.split(':').map(Number)
  const weekday = schedule.every === 'week' ? schedule.weekday % 7 : '*'
  const slots = { schedule: `${minute} ${hour} * * ${weekday}`, timeZone: schedule.time_zone }
  const earliest = new Date(moment.getTime() - MAX_INTERVAL_MS)
  const [next] = nextSlots(slots, moment, 1)
  return { latest: latestSlot(slots, earliest, moment) ?? earliest, next: next as Date }
}

interface BackupsDeps {
  store: BackupsStore
  folder: ArchiveFolder
  writer: ArchiveWriter
  scrubbing: ScrubbingService
  offsite: OffsiteService
  queue: Queue
  settings: SettingsReader
  notifications: NotificationsService
  signedPaths: { signForDownload(userId: string, path: string, lifetimeSeconds: number): string }
  /** Space that a backup may need, including its temporary files. */
  neededBytes(): Promise<number>
  now(): Date
  /** True when archives are encrypted. */
  isSealed: boolean
  /** True when no other process uses the database. */
  isOnlyProcess: boolean
  log: Log
}

const MAX_ATTEMPTS = 3
const FAILURE_RETENTION_DAYS = 30
const PROGRESS_INTERVAL_MS = 1_000
const LINK = '/admin?tab=settings'
const TICKET_SECONDS = 60
/** Scheduled backups leave this much of the disk free for everything else. */
const MIN_SCHEDULED_RESERVE_BYTES = 512 * 1024 * 1024
const SCHEDULED_RESERVE_SHARE = 0.1
/** Tolerated difference between servers' clocks; a larger one restarts the schedule. */
const CLOCK_DIFFERENCE_MS = 60_000

export type BackupsService = ReturnType<typeof createBackupsService>

/** Archives of the whole instance, written one at a time by any server; administrators decide how many are kept. */
export function createBackupsService(deps: BackupsDeps) {
  const { store, folder, writer, queue, settings, notifications, log } = deps
  /** Copy of the stored progress of the schedule, so that most checks for due backups need no query. */
  let scheduleMark: ScheduleMark | null = null

  const enqueue = (id: string, tx?: Prisma.TransactionClient) =>
    queue.enqueue('make-backup', { backup_id: id }, tx ? { tx } : {})

  const present = (row: BackupRow): Backup => ({
    id: row.id,
    name: row.fileName,
    state: row.state,
    progress: row.progress,
    size_bytes: row.sizeBytes === null ? null : Number(row.sizeBytes),
    problems: row.problems,
    error: row.error,
    told: row.errorSentences,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
    reason: row.reason,
    proven_at: row.trialRestoredAt,
    unproven: row.trialRestoreFailedAt && {
      at: row.trialRestoreFailedAt,
      reason: row.trialRestoreError ?? '',
      told: row.trialRestoreErrorSentences,
    },
  })

  const scheduledReserveBytes = async () => {
    await folder.make()
    return Math.max(MIN_SCHEDULED_RESERVE_BYTES, SCHEDULED_RESERVE_SHARE * (await folder.totalBytes()))
  }

  const requireSpace = async (reserveBytes = 0) => {
    await folder.make()
    const [neededBytes, freeBytes] = await Promise.all([deps.neededBytes(), folder.freeBytes()])
    if (freeBytes >= neededBytes + reserveBytes) return
    const megabytes = { needed: Math.ceil((neededBytes + reserveBytes) / 1e6), free: Math.ceil(freeBytes / 1e6) }
    const full = say('backup_no_room', megabytes)
    const [largest, ...others] = manuallyAddedArchives(await folder.list(), await store.listOwn())
    if (largest === undefined) throw new StorageFullError(full)
    const sizeBytes = others.reduce((sum, other) => sum + other.sizeBytes, largest.sizeBytes)
    const byHand = { count: others.length + 1, megabytes: Math.ceil(sizeBytes / 1e6), name: largest.fileName }
    throw new StorageFullError(sayAll(full, say('backup_put_by_hand', byHand)))
  }

  /** Removes old backups until the next one fits. Removes none if even removing all of them wouldn't make enough room. */
  const makeSpaceForScheduled = async (reserveBytes: number) => {
    await folder.make()
    const [neededBytes, freeBytes, own, files] = await Promise.all([
      deps.neededBytes(),
      folder.freeBytes(),
      store.listOwn(),
      folder.list(),
    ])
    const removable = removableArchives(files, own, deps.now())
    let missingBytes = neededBytes + reserveBytes - freeBytes
    if (missingBytes > removable.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)) return
    for (const { fileName, sizeBytes } of removable) {
      if (missingBytes <= 0) return
      log.warn({ file: fileName }, 'removed an old backup to make room for the next one')
      await folder.remove(fileName)
      await store.forget([fileName])
      missingBytes -= sizeBytes
    }
  }

  const freeName = async () => {
    for (let time = Date.now(); ; time += 1_000) {
      const name = archiveName(new Date(time), deps)
      if (!(await store.hasName(name))) return name
    }
  }

  const add = async () => {
    await requireSpace()
    const row = await store.add(await freeName(), (tx, id) => enqueue(id, tx))
    if (row === null) throw new ConflictError('A backup is already running.', { code: 'backup_running' })
    return row
  }

  const notifyAdmins = async (notification: Pick<NewNotification, 'kind' | 'params' | 'sentences'>) => {
    const notify = (userId: string) => notifications.notify(userId, { ...notification, link: LINK })
    await tryEach(await store.listAdminIds(), notify)
  }

  /**
   * Marks a backup as failed, removes its archive and notifies the administrators.
   * @returns false when another process has taken over the backup; in that case, nothing changes.
   */
  const fail = async (claim: ClaimedBackup, error: unknown): Promise<boolean> => {
    const { fileName } = claim
    const reason = reasonOf(error)
    if (!(await store.fail(claim, reason))) {
      log.warn({ err: error, file: fileName }, 'another server has taken over a backup')
      return false
    }
    log.error({ err: error, file: fileName }, 'a backup failed')
    await folder.remove(fileName)
    const params = { title: fileName, reason: reason.text }
    await notifyAdmins({ kind: 'backup_failed', params, sentences: reason.sentences })
    return true
  }

  /** Removes archives beyond those to keep. A failure is only logged, since the new backup is complete. */
  const removeExcessArchives = async (written: string) => {
    try {
      await store.forget(
        await folder.removeExcess(settings.current().retention.backups_kept, written, await store.listOwn()),
      )
      await store.forgetFailures(FAILURE_RETENTION_DAYS)
    } catch (error) {
      log.warn({ err: error }, 'old backups could not be removed')
    }
  }

  /** Writes the archive. Stores the progress every second, which also shows other servers that this process is alive. */
  const write = async (claim: ClaimedBackup, jobSignal: AbortSignal) => {
    const { fileName, reason, attempts } = claim
    const takenOver = new AbortController()
    const signal = AbortSignal.any([jobSignal, takenOver.signal])
    let percent = 0
    const timer = setInterval(() => {
      store
        .saveProgress(claim, percent)
        .then((isClaimed) => isClaimed || takenOver.abort(new BackupTakenOverError()))
        .catch((error: unknown) => log.warn({ err: error }, 'the progress of a backup could not be stored'))
    }, PROGRESS_INTERVAL_MS)
    try {
      if (attempts > 1) await folder.removeParts(fileName)
      const reserveBytes = reason === 'schedule' ? await scheduledReserveBytes() : 0
      if (reserveBytes > 0) await makeSpaceForScheduled(reserveBytes)
      await requireSpace(reserveBytes)
      return await writer.write(folder.fileOf(fileName), { signal, onProgress: (now) => (percent = now) })
    } finally {
      clearInterval(timer)
    }
  }

  /** Enqueues a trial restore and an off-site copy. Also after a failed backup, since the copy may have the space that the backup lacked. */
  const enqueueTrialAndCopy = async (id: string) => {
    try {
      await queue.enqueue('prove-backup', { backup_id: id })
      await queue.enqueue('copy-offsite', {})
    } catch (error) {
      log.warn({ err: error }, 'the trial restore or the off-site copy of a backup could not be queued')
    }
  }

  const syncWithFolder = () =>
    store.syncWithFolder(() =>
      folder.list().catch((error: unknown) => {
        log.warn({ err: error }, 'the folder of the backups could not be read')
        return null
      }),
    )

  return {
    /** Updates the list of backups from the archives in the folder. */
    syncWithFolder,

    async list(): Promise<BackupsResponse> {
      await syncWithFolder()
      const [rows, lastTrialRestoreAt] = await Promise.all([store.list(), store.lastTrialRestoreAt()])
      return {
        backups: rows.map(present),
        directory: folder.directory,
        kept: settings.current().retention.backups_kept,
        encrypted: deps.isSealed,
        next_at: slotsAround(settings.current().backups, deps.now())?.next ?? null,
        last_proven_at: lastTrialRestoreAt,
        files: await deps.scrubbing.state(),
        offsite: await deps.offsite.state(),
      }
    },

    /** Enqueues a backup. @throws ConflictError while another backup is being made; StorageFullError when space is short. */
    begin: async (): Promise<Backup> => present(await add()),

    /** Enqueues a backup for the machine's operator, or returns the one that is running or waiting. @throws the errors of `begin`. */
    beginOrFollow: async (): Promise<BackupRow> => (await store.findRunning()) ?? add(),

    /**
     * Enqueues a scheduled backup that is due, on the first server that checks. After several missed times, only one backup
     * is made. Times before the schedule was set don't count.
     */
    async makeDue(): Promise<void> {
      const now = deps.now()
      const { backups } = settings.current()
      const schedule = JSON.stringify(backups)
      const isCurrent = (mark: ScheduleMark | null) =>
        mark?.schedule === schedule && Date.parse(mark.until) <= now.getTime() + CLOCK_DIFFERENCE_MS
      const isDue = (mark: ScheduleMark | null, latest: Date) => Date.parse(mark?.until ?? '') < latest.getTime()
      const latest = slotsAround(backups, now)?.latest
      if (isCurrent(scheduleMark) && (latest === undefined || !isDue(scheduleMark, latest))) return
      scheduleMark = await store.scheduleMark()
      if (scheduleMark === null || !isCurrent(scheduleMark)) {
        scheduleMark = { schedule, until: now.toISOString() }
        await store.saveScheduleMark(scheduleMark)
      } else if (latest !== undefined && isDue(scheduleMark, latest)) {
        const slot = { from: scheduleMark, to: { schedule, until: latest.toISOString() } }
        const row = await store.add(await freeName(), (tx, id) => enqueue(id, tx), slot)
        if (row !== null) scheduleMark = slot.to
      }
    },

    find: store.find,

    /** Short-lived address from which a browser downloads the archive. @throws NotFoundError */
    async ticket(userId: string, id: string): Promise<BackupTicket> {
      const row = await store.find(id)
      if (row?.state !== 'completed') throw new NotFoundError('There is no such backup.')
      const expiresAt = new Date(Date.now() + TICKET_SECONDS * 1000)
      const url = deps.signedPaths.signForDownload(userId, `/api/admin/backups/${id}/file`, TICKET_SECONDS)
      return { url, expires_at: expiresAt }
    },

    /** @throws NotFoundError */
    async open(id: string) {
      const row = await store.find(id)
      if (row?.state !== 'completed') throw new NotFoundError('There is no such backup.')
      return { name: row.fileName, ...(await folder.open(row.fileName)) }
    },

    /** @throws NotFoundError; ConflictError while it is being made. */
    async remove(id: string): Promise<void> {
      const row = await store.find(id)
      if (row === null) throw new NotFoundError('There is no such backup.')
      if (row.state === 'waiting' || row.state === 'running') {
        throw new ConflictError('This backup is still running. Delete it when it’s finished.', {
          code: 'backup_running',
        })
      }
      await folder.remove(row.fileName)
      await store.remove(id)
    },

    /** Handler of `make-backup`. */
    async run(id: string, signal: AbortSignal): Promise<void> {
      const claim = await store.claim(id, deps.isOnlyProcess)
      if (claim === null) {
        // The process that makes it may have died. The error makes the queue retry this job, which then takes the backup over.
        if ((await store.find(id))?.state === 'running') throw new Error('another process makes this backup')
        return
      }
      const { fileName, attempts } = claim
      if (attempts > MAX_ATTEMPTS) {
        const text = `The server ended ${MAX_ATTEMPTS} times while the backup was being made.`
        const { sentences } = say('backup_interrupted', { times: MAX_ATTEMPTS })
        await fail(claim, new ConflictError(text, { sentences }))
        return
      }
      let isComplete = false
      try {
        const { sizeBytes, missing, damaged } = await write(claim, signal)
        const problemPaths = await store.problemsOf({ missing, damaged })
        const problems = problemPaths.length
        const problemsBefore = await store.problemsBefore(fileName)
        if (!(await store.complete(claim, { sizeBytes, problemPaths }))) throw new BackupTakenOverError()
        isComplete = true
        await store.recordBackup(new Date())
        await removeExcessArchives(fileName)
        if (problems > 0)
          log.warn(
            { problems, first: problemPaths.slice(0, MAX_LOGGED_PATHS) },
            'stored files were missing or damaged when they were backed up',
          )
        // A scheduled backup is only worth a notification when it has more problems than the previous one.
        if (claim.reason !== 'schedule' || problems > problemsBefore) {
          const params = { title: fileName, size_bytes: sizeBytes, problems }
          await notifyAdmins({ kind: 'backup_done', ...withProblems(params) })
        }
      } catch (error) {
        if (signal.aborted) {
          await store.release(claim)
          throw error
        }
        if (isComplete) log.warn({ err: error, file: fileName }, 'a backup is complete, but a later step failed')
        else if (!(await fail(claim, error))) return
      }
      await enqueueTrialAndCopy(id)
    },

    /** Re-enqueues the backups whose process died. */
    async sweep(): Promise<void> {
      await tryEach(await store.listLost(), (id) => enqueue(id))
    },
  }
}

/** Stops writing a backup that another server has taken over, since this server couldn't reach the database for too long. */
class BackupTakenOverError extends Error {}

/** Parameters of a notification, with a sentence about missing and damaged files if there are any. */
function withProblems(params: { title: string; size_bytes: number; problems: number }) {
  if (params.problems === 0) return { params }
  const { text, sentences } = say('backup_lacks_files', { count: params.problems })
  return { params: { ...params, reason: text }, sentences }
}

/** Reason for a failed backup, shown to the user. */
function reasonOf(error: unknown): Sentence {
  // Other errors about space already say how much is needed.
  if (error instanceof StorageFullError && error.sentences[0]?.code === 'storage_full') {
    return say('backup_disk_full', {})
  }
  if (error instanceof AppError) return { text: error.message, sentences: error.sentences }
  const reason = (error as Error).message
  return say('backup_failed', { said: reason })
}
