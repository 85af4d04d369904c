import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import process from 'node:process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { fileNameOf } from '@mira/client/file-name'
import type { CommandModule } from 'yargs'
import { currentMira } from '../account.ts'
import { Failure } from '../failure.ts'
import { bytes, note, printJson } from '../output.ts'

/** `mira export`: downloads all the user's data as a ZIP archive. */
export const exportAll: CommandModule<object, { output?: string; json: boolean }> = {
  command: 'export',
  describe: 'Export all your data as a ZIP archive',
  builder: (yargs) =>
    yargs.option('output', {
      alias: 'o',
      type: 'string',
      describe: 'File to write, or - for standard output; by default, the name sent by the server',
    }) as never,
  async handler({ output, json }) {
    const mira = await currentMira()
    const response = await mira.callForResponse('GET /me/export')
    const file = output ?? basename(fileNameOf(response.headers.get('Content-Disposition'), 'mira-export.zip'))
    if (response.body === null) throw new Failure('The server sent no file.')
    const partialFile = `${file}.part`
    const isPiped = output === '-'
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
        isPiped ? process.stdout : createWriteStream(partialFile, { mode: 0o600 }),
      )
      if (isPiped) return
      await rename(partialFile, file)
    } catch (error) {
      if (!isPiped) await rm(partialFile, { force: true })
      throw new Failure(
        `${isPiped ? 'The export' : file} couldn’t be written completely: ${(error as Error).message}.`,
        { cause: error },
      )
    }
    if (json) return printJson({ file, size_bytes: sizeBytes })
    note(`${file}: ${bytes(sizeBytes)}`)
  },
}
