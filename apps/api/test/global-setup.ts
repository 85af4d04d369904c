import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prepareTemplate } from './database-template.ts'

/** Creates the template database and compiles the parser processes, before the first test file starts. */
export default async function setup(): Promise<void> {
  const compiler = join(import.meta.dirname, '../src/compile-readers.ts')
  await Promise.all([prepareTemplate(), promisify(execFile)(process.execPath, [compiler, 'src'])])
}
