import { mkdir, readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWholeFile } from '../../platform/storage/whole-file.ts'
import { approximateBytesOf, type LocalModelInfo, type ModelFile } from './catalogue.ts'
import { type Hub, HubError } from './hub.ts'
import {
  folderOf,
  hashFile,
  type ModelManifest,
  pathOf,
  readManifest,
  readPresence,
  sizeOf,
  writeManifest,
} from './model-files.ts'

const pinsSchema = z.object({
  /** Revision of the model that the files come from. */
  commit: z.string().nullable(),
  /** SHA-256 by name of the file. */
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
})
type PinnedModel = z.infer<typeof pinsSchema>

/** Permanent records of each model's first download; they survive the removal of the model. */
interface ModelPins {
  /** Reads the record of a model; empty before its first download. @throws when it's unreadable; nothing may be downloaded then. */
  read(model: Pick<LocalModelInfo, 'id'>): Promise<PinnedModel>
  write(model: Pick<LocalModelInfo, 'id'>, pinned: PinnedModel): Promise<void>
}

/** Stores one file per model; writers hold the model's lock. */
export function createModelPins(directory: string): ModelPins {
  const pinsPathOf = ({ id }: Pick<LocalModelInfo, 'id'>) => join(directory, `${id.replaceAll('/', '--')}.json`)
  return {
    async read(model) {
      const text = await readFile(pinsPathOf(model), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? { commit: null, files: {} } : pinsSchema.parse(JSON.parse(text))
    },
    async write(model, pinned) {
      await mkdir(directory, { recursive: true, mode: 0o755 })
      const content = [Buffer.from(`${JSON.stringify(pinned, null, 2)}\n`)]
      await writeWholeFile(pinsPathOf(model), toAsync(content))
    },
  }
}

async function* toAsync(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}

/** Progress of a download in bytes. */
export interface DownloadProgress {
  doneBytes: number
  /** As far as known. */
  totalBytes: number
}

/** Free space left for everything else on the disk. */
const RESERVE_BYTES = 500_000_000

/**
 * Downloads the missing files of a model. The manifest is written after each file, so that none is downloaded twice.
 * @throws HubError; the signal's reason when aborted.
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
    throw new HubError('the record of the first download is unreadable', { cause: error })
  })
  /** Fetches a file at the pinned revision. If the hub no longer has that revision, fetches a file with a pinned hash at the newest one. */
  const fetchFile = async (file: ModelFile, onBytes: (doneBytes: number) => void) => {
    const download = { directory, model, file, pinned: pinned.files[file.name] ?? null, signal, onBytes }
    const commit = manifest.commit ?? pinned.commit
    try {
      return await hub.fetchFile({ ...download, commit })
    } catch (error) {
      // The pinned hash proves that it's the same file, whatever the revision.
      const isLost = error instanceof HubError && error.isMissing && commit !== null && download.pinned !== null
      if (!isLost) throw error
      return hub.fetchFile({ ...download, commit: null })
    }
  }
  const progressOf = new Map(model.files.map(({ name, bytes }) => [name, { doneBytes: 0, totalBytes: bytes }]))
  const report = () => {
    const all = [...progressOf.values()]
    onProgress({
      doneBytes: all.reduce((sum, { doneBytes }) => sum + doneBytes, 0),
      totalBytes: all.reduce((sum, { doneBytes, totalBytes }) => sum + Math.max(doneBytes, totalBytes), 0),
    })
  }
  for (const file of model.files) {
    const path = pathOf(directory, model, file)
    let downloaded = manifest.files[file.name]
    if ((await sizeOf(path)) === 0) {
      const fetched = await fetchFile(file, (doneBytes) => {
        progressOf.set(file.name, { doneBytes, totalBytes: file.bytes })
        report()
      })
      manifest.commit ??= fetched.commit
      if (pinned.files[file.name] === undefined) {
        pinned.files[file.name] = fetched.sha256
        pinned.commit ??= fetched.commit
        await pins.write(model, pinned)
      }
      downloaded = { bytes: fetched.bytes, sha256: fetched.sha256 }
    } else {
      // Someone put it here, or an earlier run ended before writing the manifest.
      downloaded ??= await hashFile(path, signal)
    }
    manifest.files[file.name] = downloaded
    await writeManifest(directory, model, manifest)
    progressOf.set(file.name, { doneBytes: downloaded.bytes, totalBytes: downloaded.bytes })
    report()
  }
  return manifest
}

async function requireSpace(directory: string, model: LocalModelInfo): Promise<void> {
  try {
    await mkdir(folderOf(directory, model), { recursive: true })
    const { bavail, bsize } = await statfs(directory)
    const missingBytes = approximateBytesOf(model) - (await readPresence(directory, model)).bytes
    if (bavail * bsize < missingBytes + RESERVE_BYTES) {
      throw new HubError(`the disk doesn’t have enough space for its ${Math.round(approximateBytesOf(model) / 1e6)} MB`)
    }
  } catch (error) {
    if (error instanceof HubError) throw error
    throw new HubError('MODELS_DIR isn’t writable', { cause: error })
  }
}
