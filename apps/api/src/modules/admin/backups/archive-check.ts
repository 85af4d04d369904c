import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { json } from 'node:stream/consumers'
import { StartupError } from '../../../errors.ts'
import { isSealedFile, SealError, unseal } from '../../../platform/storage/sealed.ts'
import { type Folders, openNamelessFile } from '../../../platform/storage/whole-file.ts'
import { type OpenedZip, openStreamedZip, openZip } from '../../../platform/storage/zip.ts'
import { MANIFEST_NAME, type Manifest, manifestSchema, storedPath, tableFile } from './archive.ts'

interface OpenOptions {
  /** Folders for the unlinked temporary file with the decrypted archive; the first one that is writable and has space is used. */
  folders: Folders
  passphrase?: (() => Promise<string>) | undefined
}

/**
 * Opens an archive of the instance, after decrypting it if it's encrypted.
 * @throws StartupError when it cannot be read or decrypted.
 */
export async function openArchive(archive: string, options: OpenOptions): Promise<OpenedZip> {
  const isEncrypted = await isSealedFile(archive).catch(() => false)
  try {
    return await (isEncrypted ? openSealed(archive, options) : openZip(archive))
  } catch (error) {
    if (error instanceof StartupError) throw error
    if (error instanceof SealError) throw new StartupError(`The archive cannot be decrypted: ${error.message}.`)
    const reason = (error as Error).message.replace(/(?<!\.)\.+$/, '')
    throw new StartupError(`The archive ${archive} cannot be read: ${reason}.`, { cause: error })
  }
}

async function openSealed(archive: string, { folders, passphrase: askPassphrase }: OpenOptions): Promise<OpenedZip> {
  if (askPassphrase === undefined) throw new StartupError('The archive is encrypted: its passphrase is needed.')
  const passphrase = await askPassphrase()
  const { size } = await stat(archive)
  const file = await openNamelessFile(folders, size).catch((error: Error) => {
    throw new StartupError(`The archive cannot be decrypted in ${folders.join(' or ')}: ${error.message}`)
  })
  return openStreamedZip(unseal(createReadStream(archive), passphrase), file)
}

const NEWLINE = '\n'.charCodeAt(0)

interface CheckOptions {
  knownMigrations: readonly string[]
  onProgress?: (percent: number) => void
  chooseFiles?: (files: Manifest['files']) => ReadonlySet<string>
}

/**
 * Reads a whole archive and verifies every file against the manifest, before anything is restored.
 * @param options.chooseFiles selects the stored files to verify, by default all. Rows are always verified.
 * @throws StartupError when it isn't a Mira archive, is damaged, or was made by a newer version.
 */
export async function checkArchive(
  zip: OpenedZip,
  { knownMigrations, onProgress, chooseFiles }: CheckOptions,
): Promise<Manifest> {
  const manifest = await readManifest(zip)
  const unknownMigrations = manifest.migrations.filter((name) => !knownMigrations.includes(name))
  if (unknownMigrations.length > 0) {
    throw new StartupError(
      `The archive was made by a newer version of Mira (${manifest.mira_version}): this one does not know ${unknownMigrations[0]}. Update Mira first.`,
    )
  }
  const listed = new Map(manifest.files.map((file) => [file.name, file]))
  for (const name of zip.sizes.keys()) {
    if (name !== MANIFEST_NAME && !listed.has(name)) throw damaged(`its manifest does not list ${name}`)
  }
  const tables = new Map(Object.entries(manifest.tables).map(([table, rows]) => [tableFile(table), rows]))
  for (const name of tables.keys()) if (!listed.has(name)) throw damaged(`${name} is missing`)
  if (listed.size !== manifest.files.length) throw damaged('its manifest lists a file twice')

  const chosenFiles = chooseFiles?.(manifest.files.filter(({ name }) => !tables.has(name)))
  const isVerified = ({ name }: { name: string }) => tables.has(name) || (chosenFiles?.has(name) ?? true)
  const total = manifest.files.filter(isVerified).reduce((sum, { size_bytes: sizeBytes }) => sum + sizeBytes, 0)
  let doneBytes = 0
  for (const file of manifest.files) {
    const { name, size_bytes: sizeBytes, sha256 } = file
    const rows = tables.get(name)
    if (rows === undefined && storedPath(name) === null) throw damaged(`${name} is not a valid file name`)
    if (zip.sizes.get(name) !== sizeBytes) throw damaged(`${name} is missing or has another size`)
    if (!isVerified(file)) continue
    const read = await hashAndCountLines(zip, name)
    if (read.sha256 !== sha256) throw damaged(`the hash of ${name} differs`)
    if (rows !== undefined && read.lines !== rows) throw damaged(`${name} has ${read.lines} rows instead of ${rows}`)
    if (rows === undefined && !name.endsWith(sha256) && !manifest.damaged.includes(name)) {
      throw damaged(`the content of ${name} does not match its name`)
    }
    doneBytes += sizeBytes
    onProgress?.(Math.floor((100 * doneBytes) / Math.max(total, 1)))
  }
  return manifest
}

async function readManifest(zip: OpenedZip): Promise<Manifest> {
  if (!zip.sizes.has(MANIFEST_NAME)) throw new StartupError('This is not a Mira backup: it has no manifest.')
  let manifestJson: unknown
  try {
    manifestJson = await json(await zip.open(MANIFEST_NAME))
  } catch (error) {
    throw damaged(`its manifest cannot be read (${(error as Error).message})`)
  }
  const { version, format } = (manifestJson ?? {}) as { version?: unknown; format?: unknown }
  if (format === 'mira.backup' && typeof version === 'number' && version > 1) {
    throw new StartupError('The archive was made by a newer version of Mira. Update Mira first.')
  }
  const read = manifestSchema.safeParse(manifestJson)
  if (!read.success) throw new StartupError('This is not a Mira backup, or its manifest is damaged.')
  return read.data
}

async function hashAndCountLines(zip: OpenedZip, name: string): Promise<{ sha256: string; lines: number }> {
  const hash = createHash('sha256')
  let lines = 0
  try {
    for await (const piece of await zip.open(name)) {
      const bytes = piece as Buffer
      hash.update(bytes)
      for (let index = bytes.indexOf(NEWLINE); index !== -1; index = bytes.indexOf(NEWLINE, index + 1)) lines++
    }
  } catch (error) {
    throw damaged(`${name} cannot be read (${(error as Error).message})`)
  }
  return { sha256: hash.digest('hex'), lines }
}

function damaged(reason: string): StartupError {
  return new StartupError(`The archive is damaged: ${reason}.`)
}
