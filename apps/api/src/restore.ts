import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { AppError, StartupError } from './errors.ts'
import { createLog } from './log.ts'
import { restoreArchive } from './modules/admin/backups/restore-archive.ts'
import { UnfinishedRestoreError } from './platform/database/restored-folders.ts'
import { progressLine } from './progress-line.ts'

const USAGE = 'npm run restore -- <archive.zip | folder of copies | s3://bucket/folder>[#name] [--replace]'
const steps = { check: 'Checking the archive', rows: 'Restoring rows', files: 'Restoring files' }

/** Restores an instance from an archive made by `npm run backup` or in Admin → Settings. */
async function restore(): Promise<void> {
  const { archive, isReplacing } = readArguments()
  const config = readConfig(process.env)
  const line = progressLine()
  const restored = await restoreArchive({
    config,
    archive,
    isReplacing,
    log: createLog('error'),
    passphrase: async () => config.backupPassphrase ?? askForPassphrase(),
    onProgress: (step, percent) => line.show(`${steps[step]}: ${percent} %`),
    onWarning(sentence) {
      line.end()
      console.warn(sentence)
    },
  }).finally(line.end)
  const { manifest, rowCount, fileCount, lostFiles, asideFolder, suspended, lostCodesCount } = restored
  console.info(`\nRestored ${rowCount} rows and ${fileCount} files, as they were at ${manifest.created_at}.`)
  if (asideFolder !== null)
    console.info(`The previous data is in ${asideFolder}; delete it when you no longer need it.`)
  for (const name of lostFiles) console.info(`No longer stored: ${name}`)
  for (const name of manifest.missing) console.info(`Was lost before the backup: ${name}`)
  for (const name of manifest.damaged) console.info(`Was damaged before the backup: ${name}`)
  const suspendedCounts = Object.entries(suspended).map(([kind, count]) => `${count} × ${kind.replaceAll('_', ' ')}`)
  if (suspendedCounts.length > 0) {
    console.info(
      `Off until confirmed, since they may have been revoked after the backup: ${suspendedCounts.join(', ')}.`,
    )
    console.info('Users confirm theirs in Settings, under “Access to your account”; model servers: Admin → Settings.')
  }
  if (lostCodesCount > 0) {
    console.info(
      `Codes of ${lostCodesCount} accounts need the secret of the instance that was backed up: before you start Mira,`,
    )
    console.info('copy its DATA_DIR/jwt-secret here, or set its JWT_SECRET. Without it, turn the codes off:')
    console.info('npm run admin:reset-password -- <username>')
  }
  console.info('Not restored: sessions, API tokens, connected apps, push devices and invitations.')
  console.info('Accounts and passwords are those of the backup: check Admin → User Management for accounts removed')
  console.info('since, and change passwords that were changed since. Everyone has to sign in again.\n')
}

/** Asks for the passphrase of an encrypted archive. @throws StartupError without a terminal. */
async function askForPassphrase(): Promise<string> {
  if (!process.stdin.isTTY) throw new StartupError('The archive is encrypted: set BACKUP_PASSPHRASE to its passphrase.')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question('The archive is encrypted. Its passphrase: ')
  } finally {
    terminal.close()
  }
}

function readArguments(): { archive: string; isReplacing: boolean } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { replace: { type: 'boolean', default: false } },
    })
    const [archive] = positionals
    if (archive === undefined || positionals.length > 1) throw new Error('exactly one archive is required')
    return { archive: archive.startsWith('s3://') ? archive : resolve(archive), isReplacing: values.replace }
  } catch (error) {
    throw new StartupError(`Usage: ${USAGE}`, { cause: error })
  }
}

await restore().catch((error: unknown) => {
  if (error instanceof UnfinishedRestoreError) console.error(error.message)
  else if (error instanceof StartupError || error instanceof AppError)
    console.error(`Nothing was changed. ${error.message}`)
  else console.error('Nothing was changed because of an unexpected error:', error)
  process.exitCode = 1
})
