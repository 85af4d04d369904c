import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { fileNameOf } from '@mira/client/file-name'
import type { CommandModule } from 'yargs'
import { currentMira } from '../account.ts'
import { Failure } from '../failure.ts'
import { bytes, note, printJson } from '../output.ts'

/** `mira export`: everything that is one's own, as one ZIP archive. */
export const exportAll: CommandModule<object, { output?: string; json: boolean }> = {
  command: 'export',
  describe: 'Write everything that is yours into a ZIP archive',
  builder: (given) =>
    given.option('output', {
      alias: 'o',
      type: 'string',
      describe: 'The file to write; named by the server without it',
    }) as never,
  async handler({ output, json }) {
    const mira = await currentMira()
    const response = await mira.callForResponse('GET /me/export')
    const file = output ?? basename(fileNameOf(response.headers.get('Content-Disposition'), 'mira-export.zip'))
    if (response.body === null) throw new Failure('The server sent nothing.')
    const half = `${file}.part`
    let sizeBytes = 0
    try {
      await pipeline(
        Readable.fromWeb(response.body as ReadableStream),
        async function* (parts: AsyncIterable<Uint8Array>) {
          for await (const part of parts) {
            sizeBytes += part.length
            yield part
          }
        },
        createWriteStream(half, { mode: 0o600 }),
      )
      await rename(half, file)
    } catch (error) {
      await rm(half, { force: true })
      throw new Failure(`${file} couldn’t be written to the end: ${(error as Error).message}.`, { cause: error })
    }
    if (json) return printJson({ file, size_bytes: sizeBytes })
    note(`${file}: ${bytes(sizeBytes)}`)
  },
}
