import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ExportTicket, NotificationKind, UserEventJson } from '@mira/shared'
import { withoutSetupInJson } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { hashing } from '../../../platform/lib/hashing.ts'
import { plainName } from '../../../platform/lib/plain-name.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { ZipEntry } from '../../../platform/storage/zip.ts'
import type { AccountStore, OriginalFile } from './account.store.ts'
import { otherOwnedTables } from './owned-tables.ts'

/** Whom an export is written for. */
export interface ExportReader {
  id: string
  username: string
  name: string
  language: string
  /** IANA name. */
  timeZone: string
  /** True when addresses of servers and names of variables may be included. */
  mayKnowSetup: boolean
}

export interface ExportDeps {
  store: Pick<AccountStore, 'tables' | 'conversations' | 'originals' | 'countEntries'>
  files: Pick<Files, 'open'>
  /** A conversation as Markdown, written while it is read. */
  conversationMarkdown(reader: ExportReader, sessionId: string): Promise<AsyncIterable<string>>
  zipOf(entries: AsyncIterable<ZipEntry>): Readable
  /** Signs a path for a download that begins within so many seconds. */
  signTicket(userId: string, path: string, lifetimeSeconds: number): string
  publish(userId: string, event: UserEventJson): void
  notify(
    userId: string,
    notification: { kind: NotificationKind; params: Record<string, string | number> },
  ): Promise<void>
  version: string
  log: Log
}

export type ExportService = ReturnType<typeof createExportService>

/** Lifetime of a download address. */
const TICKET_SECONDS = 5 * 60
const PROGRESS_PAUSE_MS = 500
const PIECE_CHARACTERS = 64 * 1024

/** Manifest entry of one file in the archive. */
interface ManifestFile {
  name: string
  size_bytes: number
  sha256: string
}

/** Everything that is a person's as one archive, written while it is read: it may be of any size. */
export function createExportService(deps: ExportDeps) {
  const { store, files, zipOf, publish, notify, log } = deps

  return {
    /** Makes an address that a browser loads the export from, and that opens for a few minutes. */
    ticket(userId: string): ExportTicket {
      const exportId = randomUUID()
      const url = deps.signTicket(userId, `/api/me/export?export_id=${exportId}`, TICKET_SECONDS)
      return { export_id: exportId, url, expires_at: new Date(Date.now() + TICKET_SECONDS * 1000) }
    },

    /** The archive: JSON of every table, conversations as Markdown, originals, and last a manifest with hashes. */
    open(reader: ExportReader, exportId: string | undefined): Readable {
      const archive = zipOf(entries(reader, exportId))
      archive.once('error', (error) => log.warn({ err: error, user_id: reader.id }, 'an export was not finished'))
      return archive
    },
  }

  async function* entries(reader: ExportReader, exportId: string | undefined): AsyncGenerator<ZipEntry> {
    const exportedAt = new Date()
    const written: ManifestFile[] = []
    const missing: { name: string; reason: string }[] = []
    const rowCounts: Record<string, number> = {}
    const tables = store.tables(reader.id)
    const progress = progressOf(
      reader.id,
      exportId,
      async () => tables.length + (await store.countEntries(reader.id)) + 1,
    )
    const entry = (
      name: string,
      content: AsyncIterable<Uint8Array | string>,
      modifiedAt: Date,
      isCompressible: boolean,
    ) => ({
      name,
      modifiedAt,
      isCompressible,
      content: hashing(content, ({ sizeBytes, sha256 }) => written.push({ name, size_bytes: sizeBytes, sha256 })),
    })

    for (const { name, pieces } of tables) {
      yield entry(
        `data/${name}.json`,
        jsonList(
          pieces(),
          reader.mayKnowSetup ? (row) => row : withoutSetupInJson,
          (count) => (rowCounts[name] = count),
        ),
        exportedAt,
        true,
      )
      await progress.step()
    }
    for await (const conversations of store.conversations(reader.id)) {
      for (const { id, session_name: title, created_at: createdAt } of conversations) {
        const name = `conversations/${createdAt.toISOString().slice(0, 10)} ${plainName(title)} ${id.slice(-6)}.md`
        const markdown = await deps.conversationMarkdown(reader, id).catch(ifGone)
        if (markdown !== null) yield entry(name, markdown, createdAt, true)
        await progress.step()
      }
    }
    for await (const originals of store.originals(reader.id)) {
      for (const original of originals) {
        const name = `files/${original.kind}/${original.id}/${plainName(original.name)}`
        const file = await files.open(original.path).catch(ifGone)
        if (file === null) missing.push({ name, reason: 'The file is not in the store any more.' })
        else {
          try {
            yield entry(name, file.stream, original.created_at, false)
          } finally {
            // nobody reads it when its reader has left
            file.stream.destroy()
          }
        }
        if (file !== null && isDamaged(original, written.at(-1))) {
          missing.push({ name, reason: 'The file is not what it was when it was stored: its hash is another one.' })
        }
        await progress.step()
      }
    }
    const manifest = {
      format: 'mira.export',
      version: 1,
      mira_version: deps.version,
      exported_at: exportedAt,
      username: reader.username,
      rows: rowCounts,
      files: written,
      damaged_or_missing: missing,
      not_included: otherOwnedTables,
    }
    yield entry('manifest.json', once(`${JSON.stringify(manifest, null, 2)}\n`), exportedAt, true)
    await progress.finish()
    const params = { files: written.length, problems: missing.length }
    // the archive is whole without it
    await notify(reader.id, { kind: 'export_done', params }).catch((error: unknown) =>
      log.warn({ err: error, user_id: reader.id }, 'the end of an export could not be told'),
    )
  }

  /**
   * Tells the page how far it is, if a page waits for it.
   * @param countEntries is asked once the first entry is written, so that a download begins without it
   */
  function progressOf(userId: string, exportId: string | undefined, countEntries: () => Promise<number>) {
    let done = 0
    let toldAt = 0
    let total: number | undefined
    let isUncountable = false
    const tell = async (isFinished: boolean) => {
      if (exportId === undefined || isUncountable) return
      toldAt = Date.now()
      total ??= await countEntries().catch((error: unknown) => {
        // the archive is whole without it
        log.warn({ err: error, user_id: userId }, 'the entries of an export could not be counted')
        return undefined
      })
      isUncountable = total === undefined
      if (total === undefined) return
      const shown = isFinished ? Math.max(done, total) : Math.min(done, total)
      const seen = { done: shown, total: Math.max(done, total) }
      publish(userId, { type: 'export.progress', export_id: exportId, ...seen, is_finished: isFinished })
    }
    return {
      async step() {
        done += 1
        if (Date.now() - toldAt >= PROGRESS_PAUSE_MS) await tell(false)
      },
      finish: () => tell(true),
    }
  }
}

/** Ignores files deleted during the export, which doesn't contain them. */
function ifGone(error: unknown): null {
  if (error instanceof NotFoundError) return null
  throw error
}

function isDamaged({ sha256 }: OriginalFile, file: ManifestFile | undefined): boolean {
  return file?.sha256 !== sha256
}

async function* once(text: string) {
  yield text
}

async function* jsonList(
  pieces: AsyncIterable<{ row: string }[]>,
  shown: (row: string) => string,
  told: (count: number) => void,
) {
  let count = 0
  let text = '['
  for await (const rows of pieces) {
    for (const { row } of rows) {
      text += `${count === 0 ? '\n' : ',\n'}${shown(row)}`
      count += 1
      // more at once would hold the event loop while it is hashed
      if (text.length < PIECE_CHARACTERS) continue
      yield text
      text = ''
    }
  }
  yield `${text}\n]\n`
  told(count)
}
