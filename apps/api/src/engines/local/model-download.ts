import { mkdir, readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWholeFile } from '../../platform/storage/whole-file.ts'
import { aboutBytesOf, type LocalModelInfo, type ModelFile } from './catalogue.ts'
import { type Hub, HubError } from './hub.ts'
import {
  folderOf,
  hashFile,
  lookForModel,
  type ModelManifest,
  pathOf,
  readManifest,
  sizeOf,
  writeManifest,
} from './model-files.ts'

const pinsSchema = z.object({
  /** The state of the model at the hub that its files are of. */
  commit: z.string().nullable(),
  /** SHA-256 by name of the file. */
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
})
type PinnedModel = z.infer<typeof pinsSchema>

/** Permanent records of each model's first download; they survive the removal of the model. */
interface ModelPins {
  /** @throws when what is written down cannot be read: then nothing may be fetched. */
  read(model: Pick<LocalModelInfo, 'id'>): Promise<PinnedModel>
  write(model: Pick<LocalModelInfo, 'id'>, pinned: PinnedModel): Promise<void>
}

/** Keeps a file for each model; writers hold the model's lock. */
export function createModelPins(directory: string): ModelPins {
  const pathOf = ({ id }: Pick<LocalModelInfo, 'id'>) => join(directory, `${id.replaceAll('/', '--')}.json`)
  return {
    async read(model) {
      const text = await readFile(pathOf(model), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? { commit: null, files: {} } : pinsSchema.parse(JSON.parse(text))
    },
    async write(model, pinned) {
      await mkdir(directory, { recursive: true, mode: 0o755 })
      const content = [Buffer.from(`${JSON.stringify(pinned, null, 2)}\n`)]
      await writeWholeFile(pathOf(model), toAsync(content))
    },
  }
}

async function* toAsync(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}

/** Progress of a download in bytes. */
export interface DownloadProgress {
  doneBytes: number
  /** As far as is known yet. */
  total: number
}

/** Left for everything else on the disk. */
const RESERVE_BYTES = 500_000_000

/**
 * Brings all files of a model that are not there. The manifest is written after each, so that nothing is fetched twice.
 * @throws HubError; the reason of the signal when it was aborted.
 */
export async function downloadModel(options: {
  directory: string
  model: LocalModelInfo
  hub: Hub
  pins: ModelPins
  signal: AbortSignal
  onProgress(progress: DownloadProgress): void
}): Promise<ModelManifest> {
  const { directory, model, hub, pins, signal, onProgress } = options
  await requireSpace(directory, model)
  const manifest = (await readManifest(directory, model)) ?? { commit: null, files: {} }
  const pinned = await pins.read(model).catch((error: unknown) => {
    throw new HubError('what came the first time is written down in a way that cannot be read', { cause: error })
  })
  /** Fetches a file at the pinned revision; a hub that lost it may have the same files in another one. */
  const fetchFile = async (file: ModelFile, onBytes: (doneBytes: number) => void) => {
    const download = { directory, model, file, pinned: pinned.files[file.name] ?? null, signal, onBytes }
    const commit = manifest.commit ?? pinned.commit
    try {
      return await hub.fetchFile({ ...download, commit })
    } catch (error) {
      // where its hash decides, it is the same file whatever state it is of
      const isLost = error instanceof HubError && error.isMissing && commit !== null && download.pinned !== null
      if (!isLost) throw error
      return hub.fetchFile({ ...download, commit: null })
    }
  }
  const bytesOf = new Map(model.files.map(({ name, bytes }) => [name, { done: 0, total: bytes }]))
  const report = () => {
    const all = [...bytesOf.values()]
    onProgress({
      doneBytes: all.reduce((sum, { done: doneBytes }) => sum + doneBytes, 0),
      total: all.reduce((sum, { done: doneBytes, total }) => sum + Math.max(doneBytes, total), 0),
    })
  }
  for (const file of model.files) {
    const path = pathOf(directory, model, file)
    let arrived = manifest.files[file.name]
    if ((await sizeOf(path)) === 0) {
      const fetched = await fetchFile(file, (doneBytes) => {
        bytesOf.set(file.name, { done: doneBytes, total: file.bytes })
        report()
      })
      manifest.commit ??= fetched.commit
      if (pinned.files[file.name] === undefined) {
        pinned.files[file.name] = fetched.sha256
        pinned.commit ??= fetched.commit
        await pins.write(model, pinned)
      }
      arrived = { bytes: fetched.bytes, sha256: fetched.sha256 }
    } else {
      // somebody put it here, or this ended before it was written down
      arrived ??= await hashFile(path, signal)
    }
    manifest.files[file.name] = arrived
    await writeManifest(directory, model, manifest)
    bytesOf.set(file.name, { done: arrived.bytes, total: arrived.bytes })
    report()
  }
  return manifest
}

async function requireSpace(directory: string, model: LocalModelInfo): Promise<void> {
  try {
    await mkdir(folderOf(directory, model), { recursive: true })
    const { bavail, bsize } = await statfs(directory)
    const missing = aboutBytesOf(model) - (await lookForModel(directory, model)).bytes
    if (bavail * bsize < missing + RESERVE_BYTES) {
      throw new HubError(`the disk has not enough room for its ${Math.round(aboutBytesOf(model) / 1e6)} MB`)
    }
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new HubError('MODELS_DIR cannot be written', { cause: error })
  }
}
