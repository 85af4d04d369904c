import { Readable } from 'node:stream'
import type { Files, OpenedFile } from './files.ts'
import { codeOf } from './whole-file.ts'

/**
 * Opens a stored file to check its hash. The stream ends at a bad sector instead of failing, so that the file counts as
 * damaged and the remaining files are still read.
 * @throws as Files.open does.
 */
export async function openUntilBadSector(files: Pick<Files, 'open'>, path: string): Promise<OpenedFile> {
  const { sizeBytes, stream } = await files.open(path).catch((error: unknown) => {
    if (codeOf(error) !== 'EIO') throw error
    return { sizeBytes: 0, stream: Readable.from([], { objectMode: false }) }
  })
  const content = Readable.from(untilBadSector(stream), { objectMode: false })
  // closes the file even if nothing was read
  content.once('close', () => stream.destroy())
  return { sizeBytes, stream: content }
}

async function* untilBadSector(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (error) {
    if (codeOf(error) !== 'EIO') throw error
  }
}
