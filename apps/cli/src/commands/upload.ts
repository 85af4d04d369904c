import process from 'node:process'
import cliProgress from 'cli-progress'
import type { CommandModule } from 'yargs'
import { currentAccount, currentMira } from '../account.ts'
import { Failure } from '../failure.ts'
import { bytes, isTerminal, note, print, printJson } from '../output.ts'
import { filesIn, type LocalFile } from '../upload/files.ts'
import { type Outcome, type UploadListener, uploadFiles, uploadWithRetries } from '../upload/upload-files.ts'
import { watchFolders } from '../upload/watch.ts'

interface Options {
  paths: string[]
  watch: boolean
  keepPlace: boolean
  json: boolean
}

/** `mira upload`: uploads files and folders without duplicates, and with --watch, files added later as well. */
export const upload: CommandModule<object, Options> = {
  command: 'upload <paths..>',
  describe: 'Upload files and folders; files that are already there are skipped',
  builder: (yargs) =>
    yargs
      .positional('paths', { type: 'string', array: true, demandOption: true, describe: 'Files and folders' })
      .option('watch', {
        type: 'boolean',
        default: false,
        describe: 'Keep running, and upload new files in the folders',
      })
      .option('keep-place', {
        type: 'boolean',
        default: false,
        describe: 'Keep the location where pictures were taken',
      }) as never,
  async handler({ paths, watch, keepPlace, json }) {
    const account = await currentAccount()
    const sending = { mira: await currentMira(), account, keepPlace }
    await using watched = watch ? await watchFolders(paths) : null
    const files: LocalFile[] = []
    for await (const file of filesIn(paths)) files.push(file)
    if (files.length === 0 && !watch) throw new Failure('None of these files has a format that Mira supports.')
    const counts = { added: 0, known: 0, failed: 0 }
    const report = (outcome: Outcome) => {
      counts[outcome.outcome] += 1
      if (json) printJson(outcome)
      else if (outcome.outcome === 'failed') note(`failed  ${outcome.path}: ${outcome.detail}`)
      else print(`${outcome.outcome.padEnd(7)} ${outcome.path}`)
    }
    const stop = new AbortController()
    const send = (files: LocalFile[], listener: UploadListener) => {
      if (!watch) return uploadFiles(files, sending, listener)
      const onUnavailable = (detail: string) =>
        progress.printAboveBar(() => note(`${detail} Retrying until it’s back.`))
      return uploadWithRetries(files, sending, listener, { onUnavailable, signal: stop.signal })
    }
    const progress = showProgress(files)
    try {
      await send(files, {
        onProgress: progress.sent,
        onOutcome: (file, outcome) => progress.done(file, () => report(outcome)),
      })
    } finally {
      progress.stop()
    }
    if (watched !== null) {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
      note(`Waiting for files in ${paths.join(', ')} (press Ctrl-C to stop).`)
      for await (const file of watched.files(stop.signal)) {
        await send([file], { onProgress: () => undefined, onOutcome: (_file, outcome) => report(outcome) })
      }
    }
    note(`${counts.added} added, ${counts.known} already there, ${counts.failed} failed.`)
    if (counts.failed > 0) process.exitCode = 1
  },
}

/** Shows a progress bar over the bytes of all files; shows nothing when there's no terminal. */
function showProgress(files: LocalFile[]) {
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const sentBytesByFile = new Map<LocalFile, number>()
  if (!isTerminal() || files.length === 0) {
    const printAboveBar = (print: () => void) => print()
    return {
      sent: () => undefined,
      printAboveBar,
      done: (_file: LocalFile, print: () => void) => print(),
      stop: () => undefined,
    }
  }
  const bar = new cliProgress.SingleBar({
    format: '{bar} {percentage} % · {sent} of {all} · {files}/{count} files',
    clearOnComplete: true,
    hideCursor: true,
    stream: process.stderr,
  })
  let done = 0
  let sent = 0
  const update = (file: LocalFile, sentBytes: number) => {
    sent += sentBytes - (sentBytesByFile.get(file) ?? 0)
    sentBytesByFile.set(file, sentBytes)
    bar.update(sent, { sent: bytes(sent), all: bytes(total), files: done, count: files.length })
  }
  const printAboveBar = (print: () => void) => {
    // replace the bar with the line; the bar is drawn again below it
    process.stderr.write('\r\u001b[K')
    print()
  }
  bar.start(total, 0, { sent: bytes(0), all: bytes(total), files: 0, count: files.length })
  return {
    sent: update,
    printAboveBar,
    done(file: LocalFile, print: () => void) {
      done += 1
      printAboveBar(print)
      update(file, file.sizeBytes)
    },
    stop: () => bar.stop(),
  }
}
