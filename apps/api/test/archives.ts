import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Manifest } from '../src/modules/admin/backups/archive.ts'
import { openZip, zipOf } from '../src/platform/storage/zip.ts'

/** Reads an archive: its manifest, its rows by table, and the SHA-256 of its other files by name. */
export async function readArchive(file: string) {
  const zip = await openZip(file)
  const tables: Record<string, string[]> = {}
  const files: Record<string, string> = {}
  for (const name of zip.sizes.keys()) {
    const content = await buffer(await zip.open(name))
    const [, table] = /^database\/(.+)\.jsonl$/.exec(name) ?? []
    if (table === undefined) files[name] = createHash('sha256').update(content).digest('hex')
    else tables[table] = content.toString().split('\n').filter(Boolean).sort()
  }
  const manifest = JSON.parse((await buffer(await zip.open('manifest.json'))).toString()) as Manifest
  delete files['manifest.json']
  zip.close()
  return { manifest, tables, files }
}

/** Copies an archive with changed files. */
export async function rewriteArchive(archive: string, change: (files: Map<string, Buffer>) => void): Promise<Buffer> {
  const zip = await openZip(archive)
  const files = new Map<string, Buffer>()
  for (const name of zip.sizes.keys()) files.set(name, await buffer(await zip.open(name)))
  zip.close()
  change(files)
  const entries = [...files].map(([name, content]) => ({
    ...{ name, modifiedAt: new Date(), isCompressible: false },
    content: Readable.from([content]),
  }))
  return buffer(zipOf(Readable.from(entries)))
}

/** Copies an archive with a changed manifest. */
export const changeManifest = (archive: string, change: (manifest: Manifest) => void): Promise<Buffer> =>
  rewriteArchive(archive, (files) => {
    const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest
    change(manifest)
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  })

/** Copies an archive as earlier versions wrote them, with tables that this version doesn't archive. */
export const archiveWithRows = (archive: string, tables: Record<string, object[]>): Promise<Buffer> =>
  rewriteArchive(archive, (files) => {
    const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest
    for (const [table, rows] of Object.entries(tables)) {
      const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      const name = `database/${table}.jsonl`
      manifest.files.push({ name, size_bytes: lines.length, sha256: createHash('sha256').update(lines).digest('hex') })
      manifest.tables[table] = rows.length
      files.set(name, lines)
    }
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  })

/** Copies an archive without its conversations, so that their messages are orphaned although every hash is right. */
export const archiveWithMissingOwner = (archive: string): Promise<Buffer> =>
  rewriteArchive(archive, (files) => {
    const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest
    const entry = manifest.files.find(({ name }) => name === 'database/chat_sessions.jsonl')
    Object.assign(entry as object, { size_bytes: 0, sha256: createHash('sha256').digest('hex') })
    manifest.tables.chat_sessions = 0
    files.set('database/chat_sessions.jsonl', Buffer.alloc(0))
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  })
