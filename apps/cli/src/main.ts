import process from 'node:process'
import { ApiError } from '@mira/client'
import yargs from 'yargs'
import { hideBin } from 'yargs/helpers'
import { ask } from './commands/ask.ts'
import { exportAll } from './commands/export.ts'
import { importFile } from './commands/import.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { search } from './commands/search.ts'
import { status } from './commands/status.ts'
import { upload } from './commands/upload.ts'
import { Failure } from './failure.ts'
import { note } from './output.ts'

// the reader of a pipe may close it early
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const program = yargs(hideBin(process.argv))
  .scriptName('mira')
  .usage('$0 <command>\n\nYour memory from the command line.')
  .option('json', { type: 'boolean', default: false, global: true, describe: 'Print JSON for programs' })
  .command(login)
  .command(logout)
  .command(upload)
  .command(search)
  .command(ask)
  .command(exportAll)
  .command(importFile)
  .command(status)
  .completion('completion', 'Print a script that completes commands; source it in .bashrc or .zshrc')
  .demandCommand(1, 'Enter a command.')
  .recommendCommands()
  .strict()
  .version('0.1.0')
  .epilogue('Without `mira login`, MIRA_URL and MIRA_TOKEN set the server and an API token.')
  .fail((message, error, { help }) => {
    if (error === undefined) throw new Failure(`${message}\nRun \`mira --help\` for the list of commands.`)
    throw error ?? new Failure(String(help()))
  })

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = 1
  if (error instanceof ApiError) {
    note(error.detail)
    const lines = error.errors.map(({ path, message }) => `${path}: ${message}`)
    if (lines.join() !== error.detail) for (const line of lines) note(`  ${line}`)
  } else if (error instanceof Failure || (error instanceof Error && error.name === 'ExitPromptError')) {
    note(error.message)
  } else throw error
}
