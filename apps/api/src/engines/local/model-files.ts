import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { LocalModelInfo, ModelFile } from './catalogue.ts'

/** Exclusive lock on a folder that several processes share. */
export interface ModelLock {
  /** Aborted when another process has taken over the lock. */
  lost: AbortSignal
  release(): Promise<void>
}

/** The holder touches the lock file at this interval. A lock file that wasn't touched for `STALE_AFTER_MS` is stale. */
const TOUCH_EVERY_MS = 5_000
const STALE_AFTER_MS = 60_000

/** Takes the lock; null while another process has it. @throws the file system's error when the folder isn't writable. */
export async function takeLock(path: string): Promise<ModelLock | null> {
  await mkdir(dirname(path), { recursive: true })
  const token = randomUUID()
  if (!(await create(path, token))) {
    if (await isLockHeld(path)) return null
    await removeStale(path)
    if (!(await create(path, token))) return null
  }
  const lost = new AbortController()
  const touch = async () => {
    const holder = await readFile(path, 'utf8').catch(() => null)
    if (holder !== token) lost.abort(new Error('Another server has taken this over.'))
    else await utimes(path, new Date(), new Date()).catch(() => {})
  }
  const touching = setInterval(() => void touch(), TOUCH_EVERY_MS).unref()
  return {
    lost: lost.signal,
    async release() {
      clearInterval(touching)
      if ((await readFile(path, 'utf8').catch(() => null)) === token) await rm(path, { force: true })
    },
  }
}

/** True when a running process holds the lock. */
export async function isLockHeld(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats !== null && Date.now() - stats.mtimeMs < STALE_AFTER_MS
}

async function create(path: string, token: string): Promise<boolean> {
  try {
    await writeFile(path, token, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes a stale lock. Two processes may find it stale at once: a fresh lock that the second one moved away is put back,
 * unless a third process has taken the lock by then.
 */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  await rename(path, aside).catch(() => {})
  if (await isLockHeld(aside)) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

/** File in a model's folder with the sizes and hashes that the model's files had after the download. */
const MANIFEST = 'mira-manifest.json'
/** Suffix of partial downloads. */
const PART = '.part'
/** First line of the pointer that Git leaves in place of an LFS file that wasn't fetched. */
const GIT_POINTER = 'version https://git-lfs'

const manifestSchema = z.object({
  /** Revision of the files; null when someone copied them here. */
  commit: z.string().nullable(),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
})
export type ModelManifest = z.infer<typeof manifestSchema>

/** Files of a model on disk, without reading their content. */
export interface ModelPresence {
  isComplete: boolean
  /** Bytes on disk, including partial downloads. */
  bytes: number
}

/** A damaged file of a model. */
export class ModelFileError extends Error {
  override name = 'ModelFileError'
  readonly fileName: string
  constructor(fileName: string, message: string) {
    super(message)
    this.fileName = fileName
  }
}

export function folderOf(directory: string, { id }: Pick<LocalModelInfo, 'id'>): string {
  return join(directory, ...id.split('/'))
}

export function pathOf(directory: string, model: Pick<LocalModelInfo, 'id'>, file: Pick<ModelFile, 'name'>): string {
  return join(folderOf(directory, model), ...file.name.split('/'))
}

export const partPathOf = (path: string) => `${path}${PART}`

/** Checks which files of a model exist. */
export async function readPresence(directory: string, model: LocalModelInfo): Promise<ModelPresence> {
  const states = await Promise.all(
    model.files.map(async (file) => {
      const path = pathOf(directory, model, file)
      const whole = await sizeOf(path)
      return { isWhole: whole > 0, bytes: whole > 0 ? whole : await sizeOf(partPathOf(path)) }
    }),
  )
  return {
    isComplete: states.every(({ isWhole }) => isWhole),
    bytes: states.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/**
 * Checks every file of a model against its hash in the manifest. Files that someone put here are trusted the first time.
 * @throws ModelFileError for the first file that has changed.
 */
export async function verifyModel(
  directory: string,
  model: LocalModelInfo,
  signal: AbortSignal,
): Promise<ModelManifest> {
  const storedManifest = await readManifest(directory, model)
  const files: ModelManifest['files'] = {}
  for (const file of model.files) {
    const path = pathOf(directory, model, file)
    const digest = await hashFile(path, signal)
    const stored = storedManifest?.files[file.name]
    if (stored !== undefined && stored.sha256 !== digest.sha256) {
      throw new ModelFileError(file.name, `${file.name} is damaged: it has changed since it was downloaded.`)
    }
    if (digest.bytes < 1024 && (await readFile(path, 'utf8')).startsWith(GIT_POINTER)) {
      throw new ModelFileError(file.name, `${file.name} is a Git LFS pointer, not the file itself.`)
    }
    files[file.name] = digest
  }
  const manifest = { commit: storedManifest?.commit ?? null, files }
  // A read-only folder works without a manifest.
  if (storedManifest === null) await writeManifest(directory, model, manifest).catch(() => {})
  return manifest
}

export async function readManifest(directory: string, model: LocalModelInfo): Promise<ModelManifest | null> {
  try {
    const text = await readFile(join(folderOf(directory, model), MANIFEST), 'utf8')
    return manifestSchema.parse(JSON.parse(text))
  } catch {
    // Missing or truncated: the files are checked again.
    return null
  }
}

export async function writeManifest(directory: string, model: LocalModelInfo, manifest: ModelManifest): Promise<void> {
  const path = join(folderOf(directory, model), MANIFEST)
  await mkdir(dirname(path), { recursive: true })
  const draft = await open(partPathOf(path), 'w', 0o644)
  try {
    await draft.writeFile(JSON.stringify(manifest, null, 2))
    await draft.sync()
  } finally {
    await draft.close()
  }
  await rename(partPathOf(path), path)
}

/** Removes one file of a model, complete or partial, and its manifest entry. */
export async function removeFile(directory: string, model: LocalModelInfo, fileName: string): Promise<void> {
  const path = pathOf(directory, model, { name: fileName })
  await rm(path, { force: true })
  await rm(partPathOf(path), { force: true })
  const manifest = await readManifest(directory, model)
  if (manifest === null || !(fileName in manifest.files)) return
  const { [fileName]: _removed, ...files } = manifest.files
  await writeManifest(directory, model, { ...manifest, files })
}

/** Removes a model's own files, then its folders if they're empty. */
export async function removeModel(directory: string, model: LocalModelInfo): Promise<void> {
  const folder = folderOf(directory, model)
  await rm(join(folder, MANIFEST), { force: true })
  for (const file of model.files) {
    const path = pathOf(directory, model, file)
    await rm(path, { force: true })
    await rm(partPathOf(path), { force: true })
  }
  for (const empty of [join(folder, 'onnx'), folder, dirname(folder)]) await rmdir(empty).catch(() => {})
}

/** @throws the file system's error when it's unreadable; the signal's reason. */
export async function hashFile(path: string, signal: AbortSignal): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/**
 * True when `name` is the file's Git blob SHA-1, which the hub reports for small files, or its plain SHA-1, which
 * mirrors report.
 */
export async function matchesSha1(path: string, name: string): Promise<boolean> {
  const git = createHash('sha1').update(`blob ${await sizeOf(path)}\0`)
  const plain = createHash('sha1')
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    git.update(chunk)
    plain.update(chunk)
  }
  return [git.digest('hex'), plain.digest('hex')].includes(name)
}

/** Size of a file in bytes; 0 when it doesn't exist. */
export async function sizeOf(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null)
  return stats?.isFile() ? stats.size : 0
}
