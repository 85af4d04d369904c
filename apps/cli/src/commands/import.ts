import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import type { ImportJson } from '@mira/shared'
import { UPLOAD_MAX_BYTES } from '@mira/shared/constants/limits'
import { type ImportFileSource, importFileSources } from '@mira/shared/constants/media'
import type { CommandModule } from 'yargs'
import { currentAccount, currentMira } from '../account.ts'
import { Failure } from '../failure.ts'
import { note, print, printJson } from '../output.ts'
import { requireFile, sha256Of } from '../upload/files.ts'
import { sendImportInParts, withRetries } from '../upload/send-file.ts'

const POLL_MS = 500

/** `mira import`: imports another program's export, and waits for the end. */
export const importFile: CommandModule<
  object,
  { file: string; source: ImportFileSource; preview: boolean; json: boolean }
> = {
  command: 'import <file>',
  describe: 'Import data exported by another program; anything imported before is skipped',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true, describe: 'The exported file, unchanged' })
      .option('source', { choices: importFileSources, demandOption: true, describe: 'Program that exported it' })
      .option('preview', { type: 'boolean', default: false, describe: 'Only count the entries' }) as never,
  async handler({ file, source, preview, json }) {
    await requireFile(file)
    const content = await openAsBlob(file)
    const mira = await currentMira()
    const stateOf = (id: string) => withRetries(() => mira.call('GET /imports/:id', { params: { id } }))
    let state: ImportJson
    if (content.size > UPLOAD_MAX_BYTES) {
      const local = { path: file, sizeBytes: content.size }
      const sending = { mira, account: await currentAccount(), onProgress: () => undefined }
      const id = await sendImportInParts(local, await sha256Of(local), { source, preview }, sending)
      state = await stateOf(id)
    } else {
      const form = new FormData()
      form.set('source', source)
      form.set('preview', String(preview))
      form.set('file', content, basename(file))
      state = await mira.call('POST /imports', { form })
    }
    while (state.state === 'queued' || state.state === 'running') {
      await wait(POLL_MS)
      state = await stateOf(state.id)
    }
    if (json) printJson(state)
    if (state.state !== 'done') throw new Failure(state.error ?? 'The import was cancelled.')
    if (state.failed.length > 0) process.exitCode = 1
    if (json) return
    print(
      preview
        ? `${state.found} found, ${state.skipped} of them already there.`
        : `${state.found} found, ${state.imported} imported, ${state.skipped} already there.`,
    )
    if (state.completed > 0) {
      print(`${state.completed} already there ${preview ? 'would gain' : 'gained'} a date, a place or a description.`)
    }
    for (const { name, reason } of state.failed) note(`failed  ${name}: ${reason}`)
  },
}
