import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from './config.ts'
import { AppError, StartupError } from './errors.ts'
import { createLog, type Log } from './log.ts'
import { connectAlone } from './platform/database/connect-alone.ts'
import { lockDataDir } from './platform/database/lock.ts'
import { moveFiles } from './platform/storage/move-files.ts'
import { openFiles } from './platform/storage/open-files.ts'
import { progressLine } from './progress-line.ts'

const USAGE = 'npm run move-files -- --to <s3://bucket/prefix | disk> [--remove]'

/** Moves users' files between DATA_DIR and S3; after an interruption, another run continues. */
async function move(): Promise<void> {
  const { target, isRemoving } = readArguments()
  const config = readConfig(process.env)
  const log = createLog('error')
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(new StartupError('Stopped.')))
  const unlock = await lockDataDir(config.dataDir)
  try {
    const { databaseUrl } = config
    const database = databaseUrl === undefined ? null : await connectAlone(databaseUrl, 'mira-move-files', log)
    const lost = new StartupError(
      'The connection to the database was lost, so a server might be using the files. Run it again.',
    )
    database?.on('error', () => stop.abort(lost))
    try {
      await moveTo(target, { config, isRemoving, log, signal: stop.signal })
    } finally {
      await database?.end().catch(() => {})
    }
  } finally {
    unlock()
  }
}

async function moveTo(
  target: string,
  { config, isRemoving, log, signal }: { config: Config; isRemoving: boolean; log: Log; signal: AbortSignal },
): Promise<void> {
  const targetConfig = readConfig({ ...process.env, FILES_URL: target === 'disk' ? '' : target })
  const from = await openFiles(config, log)
  // No cache: nothing reads the moved files here.
  const to = await openFiles({ ...targetConfig, fileStore: { ...targetConfig.fileStore, cacheBytes: 0 } }, log)
  const line = progressLine()
  try {
    if (from.address === to.address) throw new StartupError(`The files are already in ${to.address} (FILES_URL).`)
    const id = createHash('sha256').update(`${from.address}\n${to.address}`).digest('hex').slice(0, 16)
    const { verifiedCount, earlierCount, verifiedBytes, damaged, removedCount } = await moveFiles({
      ...{ from, to, isRemoving, signal },
      journal: join(config.dataDir, `moved-files-${id}.txt`),
      onProgress: ({ doneBytes, totalBytes }) =>
        line.show(`Moving files: ${Math.min(100, Math.floor((100 * doneBytes) / Math.max(totalBytes, 1)))} %`),
    }).finally(line.end)
    const megabytes = Math.ceil(verifiedBytes / 1e6)
    console.info(`\n${verifiedCount} files (${megabytes} MB) are in ${to.address}, each compared with its SHA-256.`)
    if (earlierCount > 0) console.info(`${earlierCount} of them were moved by an earlier run.`)
    for (const path of damaged) console.info(`Damaged, not moved: ${path}`)
    if (isRemoving) console.info(`${removedCount} files were removed from ${from.address}.`)
    const setting = target === 'disk' ? 'Remove FILES_URL' : `Set FILES_URL=${target}`
    console.info(`${setting} in .env, then start Mira.\n`)
    if (damaged.length > 0) process.exitCode = 1
  } finally {
    from.close()
    to.close()
  }
}

function readArguments(): { target: string; isRemoving: boolean } {
  try {
    const { values } = parseArgs({
      options: { to: { type: 'string' }, remove: { type: 'boolean', default: false } },
    })
    if (values.to !== 'disk' && !values.to?.startsWith('s3://'))
      throw new Error('--to must be disk or an s3:// address')
    return { target: values.to, isRemoving: values.remove }
  } catch (error) {
    throw new StartupError(`Usage: ${USAGE}`, { cause: error })
  }
}

await move().catch((error: unknown) => {
  const continueHint = 'Files moved so far stay there; run it again to continue.'
  if (error instanceof StartupError) console.error(error.message)
  else if (error instanceof AppError)
    console.error(`${error.message} ${(error.cause as Error)?.message ?? ''} ${continueHint}`)
  else console.error(`An unexpected error. ${continueHint}`, error)
  process.exitCode = 1
})
