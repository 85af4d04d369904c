import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline, Readable, Transform } from 'node:stream'
import { json, text } from 'node:stream/consumers'
import type { Config } from '../../../config.ts'
import { NotFoundError, RemoteStoreError, StartupError } from '../../../errors.ts'
import type { ListedFile, OpenedFile } from '../../../platform/storage/files.ts'
import { openFolderStore, type RemoteStore } from '../../../platform/storage/folder-store.ts'
import { resuming } from '../../../platform/storage/resuming.ts'
import { openS3Store, readS3Address } from '../../../platform/storage/s3-store.ts'
import { seal, sealedBytes, unseal, unsealedBytes } from '../../../platform/storage/sealed.ts'
import { openNamelessFile } from '../../../platform/storage/whole-file.ts'
import { type OpenedZip, openStreamedZip } from '../../../platform/storage/zip.ts'
import {
  archiveName,
  MANIFEST_NAME,
  type Manifest,
  manifestSchema,
  newestFirst,
  storedFile,
  storedPath,
} from './archive.ts'

export const KEY_NAME = 'mira-key.sealed'
const FILES_PREFIX = 'files/'
const SNAPSHOTS_PREFIX = 'snapshots/'
const SNAPSHOT_NAME = /^snapshots\/(mira-backup-\d{8}-\d{6})\.zip\.sealed$/
/** Lowest cost for deriving keys from the repository's key. That key is random, so a higher cost wouldn't make it harder to guess. */
const KEY_COST_EXPONENT = 1
const ABANDONED_MS = 24 * 60 * 60_000
/** Tolerated difference between the clocks of the machines that use a repository. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000

export const snapshotNameOf = (now: Date) => archiveName(now, { isSealed: false }).replace(/\.zip$/, '')

type Repository = Awaited<ReturnType<typeof openRepository>>

/**
 * An encrypted, incremental store of backups. A random key encrypts everything; the key is stored there, too, encrypted with
 * the passphrase. Each stored file is uploaded once, under an HMAC of its path, which reveals nothing about it. A snapshot
 * consists of an archive of the database and an index of the files it needs. It's written after its files. Files of an
 * interrupted upload are reused or pruned by the next one.
 * @throws RemoteStoreError when it can't be used, or was created with another passphrase.
 */
export async function openRepository(store: RemoteStore, passphrase: string, { isCreating }: { isCreating: boolean }) {
  const key = await keyOf(store, passphrase, isCreating)
  const nameOf = (path: string) => {
    const hash = createHmac('sha256', Buffer.from(key, 'hex')).update(path).digest('hex')
    return `${FILES_PREFIX}${hash.slice(0, 2)}/${hash}`
  }
  const snapshotName = (name: string) => `${SNAPSHOTS_PREFIX}${name}.zip.sealed`
  const indexName = (name: string) => `${SNAPSHOTS_PREFIX}${name}.index.sealed`
  const put = (name: string, content: Readable, sizeBytes: number, signal?: AbortSignal) =>
    store.write(name, seal(content, key, KEY_COST_EXPONENT), sealedBytes(sizeBytes), signal)
  /** Decrypted content of an object. Reading resumes after a broken connection, since a restore reads for hours. */
  const get = async (name: string) => {
    const { sizeBytes, stream } = await store.read(name)
    const range = { start: 0, last: sizeBytes - 1 }
    const resume = async (start: number) => (await store.read(name, { start })).stream
    const giveUp = (error: unknown) =>
      new RemoteStoreError(`${store.address} couldn’t be read to the end: ${(error as Error).message}.`, {
        cause: error,
      })
    return unseal(resuming(stream, range, { resume, finalError: giveUp }), key)
  }

  const listSnapshots = async (): Promise<string[]> => {
    const names: string[] = []
    for await (const { name } of store.list(SNAPSHOTS_PREFIX)) names.push(...(SNAPSHOT_NAME.exec(name)?.slice(1) ?? []))
    return names
  }

  return {
    listSnapshots,

    /** Content of a stored file; null when the repository doesn't have it. The stream fails if the copy is damaged. */
    async openFile(path: string): Promise<Readable | null> {
      try {
        return await get(nameOf(path))
      } catch (error) {
        if (error instanceof NotFoundError) return null
        throw error
      }
    },

    /**
     * Uploads a database-only archive, and those of its stored files that the repository doesn't have yet.
     * @returns the number of new files.
     */
    async upload(options: {
      name: string
      archive: string
      files: readonly ListedFile[]
      /** Paths of stored files that don't exist here; their copies are kept. */
      missing: readonly string[]
      openFile(path: string): Promise<OpenedFile>
      signal: AbortSignal
    }): Promise<number> {
      const { name, archive, files, missing, openFile, signal } = options
      const existingSizes = new Map<string, number>()
      for await (const { name, sizeBytes } of store.list(FILES_PREFIX)) existingSizes.set(name, sizeBytes)
      let added = 0
      for (const { path, sizeBytes } of files) {
        signal.throwIfAborted()
        const objectName = nameOf(path)
        if (existingSizes.get(objectName) === sealedBytes(sizeBytes)) continue
        const file = await openFile(path).catch((error: unknown) => {
          // A user deleted the file after the snapshot was taken.
          if (error instanceof NotFoundError) return null
          throw error
        })
        if (file === null) continue
        let isDamaged = false
        const content = verifiedStream(file.stream, path, () => {
          isDamaged = true
        })
        try {
          await put(objectName, content, file.sizeBytes, signal)
          added++
        } catch (error) {
          // A damaged file is skipped, so that the others are uploaded; scrubbing will report it.
          if (!isDamaged) throw error
        }
      }
      const paths = [...files.map(({ path }) => path), ...missing]
      const index = Buffer.from(paths.map((path) => `${nameOf(path)}\n`).join(''))
      await put(indexName(name), Readable.from([index], { objectMode: false }), index.length, signal)
      await put(snapshotName(name), createReadStream(archive), (await stat(archive)).size, signal)
      return added
    },

    /** Removes all but the newest `keepCount` snapshots, then the files that no remaining snapshot needs. */
    async prune({ keepCount, written, now }: { keepCount: number; written: string; now: Date }): Promise<void> {
      const names = await listSnapshots()
      // Without snapshots, no file would be needed, and all would be deleted.
      if (names.length === 0) return
      const sorted = [...new Set([written, ...names])].sort(newestFirst(written))
      for (const name of sorted.slice(keepCount)) {
        await store.remove(snapshotName(name))
        await store.remove(indexName(name))
      }
      const needed = new Set<string>()
      for (const name of sorted.slice(0, keepCount)) {
        for (const objectName of (await text(await get(indexName(name)))).split('\n')) needed.add(objectName)
      }
      const unneeded: string[] = []
      for await (const { name, modifiedAt } of store.list(FILES_PREFIX)) {
        if (!needed.has(name) && modifiedAt <= now) unneeded.push(name)
      }
      for (const name of unneeded) await store.remove(name)
    },

    /** Removes the remains of uploads that were interrupted more than a day ago. */
    removeAbandoned: (now: Date) => store.removeAbandoned(new Date(now.getTime() - ABANDONED_MS)),

    /**
     * Opens a snapshot as a full archive. Each stored file is verified by its hash while it's read.
     * @param folder holds the decrypted archive of the database, as an unlinked temporary file.
     * @param name by default the newest snapshot that isn't dated in the future.
     * @throws StartupError when there is no such snapshot.
     */
    async openArchive({
      folder,
      name,
      now = new Date(),
      onWarning = () => {},
    }: {
      folder: string
      name?: string | undefined
      now?: Date
      onWarning?: (sentence: string) => void
    }): Promise<OpenedZip> {
      const latest = snapshotNameOf(new Date(now.getTime() + CLOCK_DIFFERENCE_MS))
      const names = (await listSnapshots()).sort(newestFirst(latest))
      const chosenName = name ?? names[0]
      if (chosenName === undefined || !names.includes(chosenName)) {
        throw new StartupError(`${store.address} has no backup${name === undefined ? '' : ` called ${name}`}.`)
      }
      const futureNames = names.filter((other) => other > latest)
      if (name === undefined && futureNames.length > 0) {
        onWarning(
          `Backups dated in the future: ${futureNames.join(', ')}. The clock was wrong when they were made, or is wrong here. ` +
            `Restoring ${chosenName}; for another one, add its name after #.`,
        )
      }
      const objects = new Map<string, number>()
      for await (const { name, sizeBytes } of store.list(FILES_PREFIX)) objects.set(name, unsealedBytes(sizeBytes))
      const content = await get(snapshotName(chosenName))
      const zip = await openStreamedZip(content, await openNamelessFile([folder], 0))
      return withFiles(zip, {
        sizeOf: (path) => objects.get(nameOf(path)),
        open: async (path) => verifiedStream(await get(nameOf(path)), path),
      })
    },

    close: () => store.close(),
  }
}

async function keyOf(store: RemoteStore, passphrase: string, isCreating: boolean): Promise<string> {
  const sealed = await store.read(KEY_NAME).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null
    throw error
  })
  if (sealed !== null) {
    try {
      return await text(unseal(sealed.stream, passphrase))
    } catch (error) {
      if ((error as Error).name !== 'SealError') throw error
      throw new RemoteStoreError(
        `${store.address} was set up with another passphrase. Set BACKUP_PASSPHRASE to that one, or use another address.`,
        { cause: error },
      )
    }
  }
  for (const prefix of [SNAPSHOTS_PREFIX, FILES_PREFIX]) {
    for await (const _ of store.list(prefix)) {
      throw new RemoteStoreError(
        `${store.address} has backups, but their key ${KEY_NAME} is missing. Put it back, or use another address.`,
      )
    }
  }
  if (!isCreating) throw new RemoteStoreError(`${store.address} has no Mira backups.`)
  const key = randomBytes(32).toString('hex')
  const content = seal(Readable.from([Buffer.from(key)], { objectMode: false }), passphrase)
  await store.write(KEY_NAME, content, sealedBytes(key.length))
  return key
}

/**
 * Completes a database-only archive with the stored files that its manifest lists. A file that was missing when the snapshot
 * was taken is included if an earlier upload has it; a file that was never uploaded counts as missing.
 */
async function withFiles(
  zip: OpenedZip,
  stored: { sizeOf(path: string): number | undefined; open(path: string): Promise<Readable> },
): Promise<OpenedZip> {
  const { elsewhere = [], ...rest } = manifestSchema.parse(await json(await zip.open(MANIFEST_NAME)))
  const files: Manifest['files'] = []
  const missing: string[] = []
  for (const name of [...elsewhere.map((file) => file.name), ...rest.missing]) {
    const path = storedPath(name)
    const sizeBytes = path === null ? undefined : stored.sizeOf(path)
    if (sizeBytes === undefined) missing.push(name)
    else files.push({ name, size_bytes: sizeBytes, sha256: name.slice(-64) })
  }
  const manifest: Manifest = { ...rest, files: [...rest.files, ...files], missing }
  return {
    sizes: new Map([...zip.sizes, ...files.map((file): [string, number] => [file.name, file.size_bytes])]),
    entryInfo: zip.entryInfo,
    async open(name) {
      if (name === MANIFEST_NAME) return Readable.from([Buffer.from(JSON.stringify(manifest))], { objectMode: false })
      const path = zip.sizes.has(name) ? null : storedPath(name)
      return path === null ? zip.open(name) : stored.open(path)
    },
    close: () => zip.close(),
  }
}

/** Passes a stored file through. The stream fails at its end when the hash doesn't match the file's path. */
function verifiedStream(content: Readable, path: string, onDamaged: () => void = () => {}): Readable {
  const hash = createHash('sha256')
  const checking = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk as Buffer)
      done(null, chunk)
    },
    flush(done) {
      if (path.endsWith(`/${hash.digest('hex')}`)) return done()
      onDamaged()
      done(new StartupError(`${storedFile(path)} is damaged: its hash differs.`))
    },
  })
  // Errors are ignored here: the reader of `checking` receives them.
  pipeline(content, checking, () => {})
  return checking
}

export type OffsiteConfig = Pick<Config, 'backupS3'> & { backupPassphrase?: string | undefined }

const BACKUP_VARIABLES = {
  endpoint: 'BACKUP_S3_ENDPOINT',
  accessKeyId: 'BACKUP_S3_ACCESS_KEY_ID',
  secretAccessKey: 'BACKUP_S3_SECRET_ACCESS_KEY',
}

/** Opens `s3://bucket/prefix` with the keys of the environment, or a folder. @throws RemoteStoreError */
async function openStore(address: string, { backupS3 }: OffsiteConfig): Promise<RemoteStore> {
  const location = readS3Address(address)
  if (location === undefined) return openFolderStore(address)
  const { accessKeyId, secretAccessKey, endpoint, region } = backupS3
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new RemoteStoreError(
      'An S3 server needs keys: set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY on the server.',
    )
  }
  return openS3Store({
    ...{ ...location, endpoint, region },
    credentials: { accessKeyId, secretAccessKey },
    variables: BACKUP_VARIABLES,
    ignoresAwsEndpoint: true,
  })
}

/** Opens the encrypted backups at an address. @throws RemoteStoreError */
export async function openOffsite(
  address: string,
  config: OffsiteConfig,
  { isCreating }: { isCreating: boolean },
): Promise<Repository> {
  if (config.backupPassphrase === undefined) {
    throw new RemoteStoreError(
      'Off-site copies are encrypted: set BACKUP_PASSPHRASE, and keep it in another place, too.',
    )
  }
  const store = await openStore(address, config)
  try {
    return await openRepository(store, config.backupPassphrase, { isCreating })
  } catch (error) {
    store.close()
    throw error
  }
}
