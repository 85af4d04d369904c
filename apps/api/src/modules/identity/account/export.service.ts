import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ExportTicket, NotificationKind } from '@mira/shared'
import { VERSION } from '../../../config.ts'
import { NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { hashing } from '../../../platform/lib/hashing.ts'
import { isoDayIn } from '../../../platform/lib/time-zone-offset.ts'
import { safeFileName } from '../../../platform/lib/title-file-name.ts'
import { forUsersIn } from '../../../platform/messages/audience.ts'
import { openUntilBadSector } from '../../../platform/storage/bad-sectors.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { type ZipEntry, zipOf } from '../../../platform/storage/zip.ts'
import type { AccountStore } from './account.store.ts'
import { otherOwnedTables } from './owned-tables.ts'

/** The user who exports their data, with the language and permissions that decide how texts in the archive are worded. */
interface ExportReader {
  id: string
  username: string
  name: string
  language: string
  /** IANA name of the user's time zone. */
  timeZone: string
  /** True when addresses of servers and names of environment variables may be included. */
  mayKnowSetup: boolean
}

/** Conversations as files, which the chat module provides. */
export interface ConversationExports {
  /** @throws NotFoundError */
  open(
    userId: string,
    sessionId: string,
    format: 'markdown',
    reader: ExportReader,
  ): Promise<{ text: AsyncIterable<string> }>
}

/** Notifications for users, which the automation module provides. */
export interface Notifications {
  notify(
    userId: string,
    notification: { kind: NotificationKind; params: Record<string, string | number> },
  ): Promise<void>
}

export type ExportService = ReturnType<typeof createExportService>

/** Lifetime of a download URL. */
const TICKET_SECONDS = 5 * 60
const PROGRESS_INTERVAL_MS = 500
const CHUNK_CHARACTERS = 64 * 1024

/** Manifest entry of one file in the archive. */
interface ManifestFile {
  name: string
  size_bytes: number
  sha256: string
}

/** Exports all data of a user as a ZIP archive, which is streamed and can have any size. */
export function createExportService(deps: {
  account: AccountStore
  files: Files
  chatExports: ConversationExports
  signedPaths: { signForDownload(userId: string, path: string, lifetimeSeconds: number): string }
  events: Pick<Events, 'publish'>
  notifications: Notifications
  log: Log
}) {
  const { account: store, files, chatExports, signedPaths, events, notifications, log } = deps

  /** Number of files in an export: tables, conversations, originals and the manifest. */
  const countFiles = async (userId: string) => store.tables(userId).length + (await store.countEntries(userId)) + 1

  return {
    /** Signed URL from which a browser downloads the export, valid for a few minutes. */
    ticket(userId: string): ExportTicket {
      const exportId = randomUUID()
      const url = signedPaths.signForDownload(userId, `/api/me/export?export_id=${exportId}`, TICKET_SECONDS)
      return { export_id: exportId, url, expires_at: new Date(Date.now() + TICKET_SECONDS * 1000) }
    },

    /** Stream of the archive: tables as JSON, conversations as Markdown, original files, and finally a manifest with hashes. */
    open(reader: ExportReader, exportId: string | undefined): Readable {
      const progress = progressOf(reader.id, exportId)
      const archive = zipOf(entries(reader, progress))
      archive.once('close', () => progress.cancel())
      archive.once('error', (error) => log.warn({ err: error, user_id: reader.id }, 'an export failed'))
      return archive
    },
  }

  async function* entries(reader: ExportReader, progress: ReturnType<typeof progressOf>): AsyncGenerator<ZipEntry> {
    const exportedAt = new Date()
    const manifestFiles: ManifestFile[] = []
    const missing: { name: string; reason: string }[] = []
    const rowCounts: Record<string, number> = {}
    const tables = store.tables(reader.id)
    const entry = (
      name: string,
      content: AsyncIterable<Uint8Array | string>,
      modifiedAt: Date,
      isCompressible: boolean,
    ) => ({
      name,
      modifiedAt,
      isCompressible,
      content: hashing(content, ({ sizeBytes, sha256 }) => manifestFiles.push({ name, size_bytes: sizeBytes, sha256 })),
    })

    for (const { name, batches } of tables) {
      yield entry(
        `data/${name}.json`,
        jsonList(batches(), reader.mayKnowSetup ? (row) => row : rowForUsers, (count) => (rowCounts[name] = count)),
        exportedAt,
        true,
      )
      await progress.step()
    }
    for await (const conversations of store.conversations(reader.id)) {
      for (const { id, session_name: title, created_at: createdAt } of conversations) {
        const name = `conversations/${isoDayIn(reader.timeZone, createdAt)} ${safeFileName(title)} ${id.slice(-6)}.md`
        const markdown = await chatExports.open(reader.id, id, 'markdown', reader).catch(nullIfDeleted)
        if (markdown !== null) yield entry(name, markdown.text, createdAt, true)
        await progress.step()
      }
    }
    for await (const originals of store.originals(reader.id)) {
      for (const original of originals) {
        const name = `files/${original.kind}/${original.id}/${safeFileName(original.name)}`
        const file = await openUntilBadSector(files, original.path).catch(nullIfDeleted)
        if (file === null) missing.push({ name, reason: 'The file no longer exists.' })
        else {
          try {
            yield entry(name, file.stream, original.created_at, false)
          } finally {
            // The download may have been cancelled.
            file.stream.destroy()
          }
        }
        if (file !== null && manifestFiles.at(-1)?.sha256 !== original.sha256) {
          missing.push({ name, reason: 'The file was damaged after it was stored: its hash differs.' })
        }
        await progress.step()
      }
    }
    const manifest = {
      format: 'mira.export',
      version: 1,
      mira_version: VERSION,
      exported_at: exportedAt,
      username: reader.username,
      rows: rowCounts,
      files: manifestFiles,
      damaged_or_missing: missing,
      not_included: otherOwnedTables,
    }
    yield entry('manifest.json', singleChunk(`${JSON.stringify(manifest, null, 2)}\n`), exportedAt, true)
    await progress.finish()
    const params = { files: manifestFiles.length, problems: missing.length }
    // A failure is only logged, since the archive is already complete.
    await notifications
      .notify(reader.id, { kind: 'export_done', params })
      .catch((error: unknown) =>
        log.warn({ err: error, user_id: reader.id }, 'the user could not be notified of a finished export'),
      )
  }

  /** Publishes progress events for the page that started the export. */
  function progressOf(userId: string, exportId: string | undefined) {
    let doneEntries = 0
    let hasEnded = false
    let publishedAt = Number.NEGATIVE_INFINITY
    let total: number | undefined
    let isUncountable = false
    const publish = async (isFinished: boolean) => {
      if (exportId === undefined || isUncountable) return
      publishedAt = performance.now()
      // Counted after the first entry, so that the download begins without waiting for it.
      total ??= await countFiles(userId).catch((error: unknown) => {
        // Only the progress is missing then; the archive doesn't need the count.
        log.warn({ err: error, user_id: userId }, 'the entries of an export could not be counted')
        return undefined
      })
      isUncountable = total === undefined
      if (total === undefined || hasEnded) return
      hasEnded = isFinished
      events.publish(userId, {
        type: 'export.progress',
        export_id: exportId,
        done: isFinished ? Math.max(doneEntries, total) : Math.min(doneEntries, total),
        total: Math.max(doneEntries, total),
        is_finished: isFinished,
      })
    }
    return {
      async step() {
        doneEntries += 1
        if (performance.now() - publishedAt >= PROGRESS_INTERVAL_MS) await publish(false)
      },
      finish: () => publish(true),
      /** Ends the progress unless it's finished. */
      cancel() {
        if (exportId === undefined || hasEnded) return
        hasEnded = true
        const counts = { done: doneEntries, total: Math.max(doneEntries, total ?? 0) }
        const event = { type: 'export.progress', export_id: exportId, ...counts } as const
        events.publish(userId, { ...event, is_finished: false, is_cancelled: true })
      },
    }
  }
}

/** Returns null for a conversation or file that was deleted during the export; rethrows other errors. */
function nullIfDeleted(error: unknown): null {
  if (error instanceof NotFoundError) return null
  throw error
}

/** JSON of a row with its texts worded for users. Only rows with message codes need that, so the others aren't parsed. */
const rowForUsers = (row: string): string => (row.includes('told"') ? JSON.stringify(forUsersIn(JSON.parse(row))) : row)

async function* singleChunk(text: string) {
  yield text
}

async function* jsonList(
  batches: AsyncIterable<{ row: string }[]>,
  present: (row: string) => string,
  onEnd: (count: number) => void,
) {
  let count = 0
  let text = '['
  for await (const rows of batches) {
    for (const { row } of rows) {
      text += `${count === 0 ? '\n' : ',\n'}${present(row)}`
      count += 1
      // Text is yielded in chunks of about this size: hashing larger ones would block the event loop.
      if (text.length < CHUNK_CHARACTERS) continue
      yield text
      text = ''
    }
  }
  yield `${text}\n]\n`
  onEnd(count)
}
