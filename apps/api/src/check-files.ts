import { readConfig } from './config.ts'
import { AppError, StartupError } from './errors.ts'
import { createLog } from './log.ts'
import { openWithoutServer } from './modules/admin/backups/back-up-without-server.ts'
import { checkFiles } from './modules/admin/backups/check-files.ts'
import { createStoredFilesStore } from './modules/admin/backups/scrubbing.store.ts'
import { openFiles } from './platform/storage/open-files.ts'
import { progressLine } from './progress-line.ts'

const problemTexts = { damaged: 'Damaged', missing: 'Missing', unknown: 'Not in the database' }

/** Compares every stored file with its SHA-256 and with the rows; exits with 1 when anything is wrong. */
async function check(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog('error')
  const { pool, close } = await openWithoutServer(config.dataDir, config.databaseUrl, log)
  const line = progressLine()
  try {
    const files = await openFiles(config, log)
    const { checkedCount, problemCount } = await checkFiles({
      files,
      store: createStoredFilesStore(pool),
      signal: new AbortController().signal,
      onProgress: (percent) => line.show(`Checking files: ${percent} %`),
      onProblem: (problem, path) => {
        line.end()
        console.info(`${problemTexts[problem]}: ${path}`)
      },
    }).finally(() => {
      line.end()
      files.close()
    })
    console.info(`\n${checkedCount} files of ${files.address} were checked, ${problemCount} problems were found.\n`)
    if (problemCount > 0) process.exitCode = 1
  } finally {
    await close()
  }
}

await check().catch((error: unknown) => {
  if (error instanceof StartupError || error instanceof AppError) console.error(`Nothing was checked. ${error.message}`)
  else console.error('The check ended because of an unexpected error:', error)
  process.exitCode = 1
})
