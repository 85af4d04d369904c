import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWholeFile } from '../../platform/storage/whole-file.ts'
import type { LocalModelInfo } from './catalogue.ts'

const pinsSchema = z.object({
  /** The state of the model at the hub that its files are of. */
  commit: z.string().nullable(),
  /** SHA-256 by name of the file. */
  files: z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/)),
})
type PinnedModel = z.infer<typeof pinsSchema>

/** Permanent records of each model's first download; they survive the removal of the model. */
export interface ModelPins {
  /** @throws when what is written down cannot be read: then nothing may be fetched. */
  read(model: Pick<LocalModelInfo, 'id'>): Promise<PinnedModel>
  write(model: Pick<LocalModelInfo, 'id'>, pinned: PinnedModel): Promise<void>
}

/** Keeps a file for each model; whoever writes one holds the lock of the model. */
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
