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

const KEY_NAME = 'mira-key.sealed'
const FILES = 'files/'
const SNAPSHOTS = 'snapshots/'
const SNAPSHOT = /^snapshots\/(mira-backup-\d{8}-\d{6})\.zip\.sealed$/
/** The key is random: guessing it is not made harder by a costly derivation. */
const KEY_COST_EXPONENT = 1
const ABANDONED_MS = 24 * 60 * 60_000
/** Clocks of machines that differ by less are as good as right. */
const CLOCK_DIFFERENCE_MS = 24 * 60 * 60_000

export const snapshotNameOf = (now: Date) => archiveName(now, { isSealed: false }).replace(/\.zip$/, '')

type Repository = Awaited<ReturnType<typeof openRepository>>

/**
 * An encrypted, incremental store of backups. The random key of everything lies there sealed under the passphrase. Stored
 * files are kept once, under a keyed hash of their path, which tells nobody what they are; each snapshot is the database and
 * names its files. A snapshot is written last: what an interrupted upload left is used by the next one, or pruned.
 * @throws RemoteStoreError when it cannot be used, or was made under another passphrase.
 */
export async function openRepository(store: RemoteStore, passphrase: string, { isCreating }: { isCreating: boolean }) {
  const key = await keyOf(store, passphrase, isCreating)
  const nameOf = (path: string) => {
    const hash = createHmac('sha256', Buffer.from(key, 'hex')).update(path).digest('hex')
    return `${FILES}${hash.slice(0, 2)}/${hash}`
  }
  const snapshotName = (name: string) => `${SNAPSHOTS}${name}.zip.sealed`
  const indexName = (name: string) => `${SNAPSHOTS}${name}.index.sealed`
  const put = (name: string, content: Readable, sizeBytes: number, signal?: AbortSignal) =>
    store.write(name, seal(content, key, KEY_COST_EXPONENT), sealedBytes(sizeBytes), signal)
  /** A restore reads for hours, in which connections break. */
  const get = async (name: string) => {
    const { sizeBytes, stream } = await store.read(name)
    const range = { start: 0, last: sizeBytes - 1 }
    const resume = async (start: number) => (await store.read(name, { start })).stream
    const giveUp = (error: unknown) =>
      new RemoteStoreError(`${store.address} couldn’t be read to the end: ${(error as Error).message}.`, {
        cause: error,
      })
    return unseal(resuming(stream, range, { resume, giveUp }), key)
  }

  const listSnapshots = async (): Promise<string[]> => {
    const names: string[] = []
    for await (const { name } of store.list(SNAPSHOTS)) names.push(...(SNAPSHOT.exec(name)?.slice(1) ?? []))
    return names
  }

  return {
    listSnapshots,

    /** Null when the repository does not hold the file. The stream fails when it is damaged. */
    async openFile(path: string): Promise<Readable | null> {
      try {
        return await get(nameOf(path))
      } catch (error) {
        if (error instanceof NotFoundError) return null
        throw error
      }
    },

    /**
     * Uploads a database-only archive with the stored files it names that are not there yet.
     * @returns how many files were new.
     */
    async upload(options: {
      name: string
      archive: string
      files: readonly ListedFile[]
      /** Paths of files that the store doesn't have now: a copy of them stays. */
      missing: readonly string[]
      openFile(path: string): Promise<OpenedFile>
      signal: AbortSignal
    }): Promise<number> {
      const { name, archive, files, missing, openFile, signal } = options
      const positions = new Map<string, number>()
      for await (const { name, sizeBytes } of store.list(FILES)) positions.set(name, sizeBytes)
      let added = 0
      for (const { path, sizeBytes } of files) {
        signal.throwIfAborted()
        const object = nameOf(path)
        if (positions.get(object) === sealedBytes(sizeBytes)) continue
        const file = await openFile(path).catch((error: unknown) => {
          // deleted since the snapshot
          if (error instanceof NotFoundError) return null
          throw error
        })
        if (file === null) continue
        let isDamaged = false
        const content = verified(file.stream, path, () => {
          isDamaged = true
        })
        try {
          await put(object, content, file.sizeBytes, signal)
          added++
        } catch (error) {
          // scrubbing reports it; the others are uploaded anyway
          if (!isDamaged) throw error
        }
      }
      const named = [...files.map(({ path }) => path), ...missing]
      const index = Buffer.from(named.map((path) => `${nameOf(path)}\n`).join(''))
      await put(indexName(name), Readable.from([index], { objectMode: false }), index.length, signal)
      await put(snapshotName(name), createReadStream(archive), (await stat(archive)).size, signal)
      return added
    },

    /** Removes all snapshots but the newest, one of which was just written, and then the files that none of these names. */
    async prune({ keepCount, written, now }: { keepCount: number; written: string; now: Date }): Promise<void> {
      const names = await listSnapshots()
      // an empty list would delete every file
      if (names.length === 0) return
      const sorted = [...new Set([written, ...names])].sort(newestFirst(written))
      for (const name of sorted.slice(keepCount)) {
        await store.remove(snapshotName(name))
        await store.remove(indexName(name))
      }
      const needed = new Set<string>()
      for (const name of sorted.slice(0, keepCount)) {
        for (const object of (await text(await get(indexName(name)))).split('\n')) needed.add(object)
      }
      const unneeded: string[] = []
      for await (const { name, modifiedAt } of store.list(FILES)) {
        if (!needed.has(name) && modifiedAt <= now) unneeded.push(name)
      }
      for (const name of unneeded) await store.remove(name)
    },

    /** Frees what interrupted uploads still take. */
    removeAbandoned: (now: Date) => store.removeAbandoned(new Date(now.getTime() - ABANDONED_MS)),

    /**
     * A snapshot as an archive that holds its files, each checked against its hash while it is read.
     * @param folder on a disk with room for the database's archive, of which nothing is seen there.
     * @param name the newest when left out; others are never taken for newer because a clock was ahead.
     * @throws StartupError when there is none.
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
        throw new StartupError(`${store.address} holds no backup${name === undefined ? '' : ` called ${name}`}.`)
      }
      const ahead = names.filter((other) => other > latest)
      if (name === undefined && ahead.length > 0) {
        onWarning(
          `The clock was wrong when ${ahead.join(', ')} was made, or is wrong here: that time is yet to come. ` +
            `Restoring ${chosenName}; for another one, add its name after #.`,
        )
      }
      const objects = new Map<string, number>()
      for await (const { name, sizeBytes } of store.list(FILES)) objects.set(name, unsealedBytes(sizeBytes))
      const content = await get(snapshotName(chosenName))
      const zip = await openStreamedZip(content, await openNamelessFile([folder], 0))
      return withFiles(zip, {
        sizeOf: (path) => objects.get(nameOf(path)),
        open: async (path) => verified(await get(nameOf(path)), path),
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
        `${store.address} was set up under another passphrase. Set BACKUP_PASSPHRASE to that one, or use another address.`,
        { cause: error },
      )
    }
  }
  for (const under of [SNAPSHOTS, FILES]) {
    for await (const _ of store.list(under)) {
      throw new RemoteStoreError(
        `${store.address} holds backups that only their key opens, and ${KEY_NAME} is gone. Put it back, or use another address.`,
      )
    }
  }
  if (!isCreating) throw new RemoteStoreError(`${store.address} holds no backups of Mira.`)
  const key = randomBytes(32).toString('hex')
  const content = seal(Readable.from([Buffer.from(key)], { objectMode: false }), passphrase)
  await store.write(KEY_NAME, content, sealedBytes(key.length))
  return key
}

/**
 * The archive with the files that its manifest names, also those that were missing and that an earlier snapshot had; those
 * that were never uploaded are missing.
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
    facts: zip.facts,
    async open(name) {
      if (name === MANIFEST_NAME) return Readable.from([Buffer.from(JSON.stringify(manifest))], { objectMode: false })
      const path = zip.sizes.has(name) ? null : storedPath(name)
      return path === null ? zip.open(name) : stored.open(path)
    },
    close: () => zip.close(),
  }
}

/** Passes a file through, and fails in the end when it does not have the hash that its path says. */
function verified(content: Readable, path: string, onDamaged: () => void = () => {}): Readable {
  const hash = createHash('sha256')
  const checking = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk as Buffer)
      done(null, chunk)
    },
    flush(done) {
      if (path.endsWith(`/${hash.digest('hex')}`)) return done()
      onDamaged()
      done(new StartupError(`${storedFile(path)} is damaged: its hash is another one.`))
    },
  })
  // the reader receives the error
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
async function openPlace(address: string, { backupS3 }: OffsiteConfig): Promise<RemoteStore> {
  const place = readS3Address(address)
  if (place === undefined) return openFolderStore(address)
  const { accessKeyId, secretAccessKey, endpoint, region } = backupS3
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new RemoteStoreError(
      'An S3 server needs keys: set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY on the server.',
    )
  }
  return openS3Store({
    ...{ ...place, endpoint, region },
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
    throw new RemoteStoreError('Copies off-site are encrypted: set BACKUP_PASSPHRASE, and keep it elsewhere, too.')
  }
  const place = await openPlace(address, config)
  try {
    return await openRepository(place, config.backupPassphrase, { isCreating })
  } catch (error) {
    place.close()
    throw error
  }
}
