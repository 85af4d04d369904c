import { readConfig } from './config.ts'
import { AppError, StartupError, StorageFullError } from './errors.ts'
import { createLog } from './log.ts'
import { backUpWithoutServer } from './modules/admin/backups/back-up-without-server.ts'
import { requestBackup } from './modules/admin/backups/requests.ts'
import { DataDirInUseError } from './platform/database/lock.ts'
import { progressLine } from './progress-line.ts'
import { say } from './sentences.ts'

/** Backs up the instance; with the embedded database, a running server makes the backup on request. */
async function backUp(signal: AbortSignal): Promise<void> {
  const config = readConfig(process.env)
  const line = progressLine()
  const onProgress = (percent: number) => line.show(`Backing up: ${percent} %`)
  try {
    const { file, missing, damaged } = await backUpWithoutServer({
      config,
      onProgress,
      signal,
      log: createLog('error'),
    })
    line.end()
    console.info(`\n${file}\n`)
    for (const name of missing) console.info(`Missing: ${name}`)
    for (const name of damaged) console.info(`Damaged: ${name}`)
    reportProblems(missing.length + damaged.length)
  } catch (error) {
    if (!(error instanceof DataDirInUseError)) throw error
    console.info('A server is running, so it makes the backup.')
    const { file, problems } = await requestBackup(config.backupDir, onProgress, signal)
    line.end()
    console.info(`\n${file}\n`)
    reportProblems(problems)
  }
}

function reportProblems(count: number): void {
  if (count > 0) console.info(say('backup_lacks_files', { count }).text)
}

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())

await backUp(stop.signal).catch((error: unknown) => {
  if (stop.signal.aborted) console.error('\nStopped. If a server is making the backup, it continues.')
  else if (error instanceof StorageFullError) console.error(`No backup was made. ${say('backup_disk_full', {}).text}`)
  else if (error instanceof StartupError || error instanceof AppError)
    console.error(`No backup was made. ${error.message}`)
  else console.error('No backup was made because of an unexpected error:', error)
  process.exitCode = 1
})
