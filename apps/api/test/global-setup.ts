import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prepareTemplate } from './database-template.ts'

/** Makes the database that every test file begins with and compiles what reads files, before the first of them starts. */
export default async function setup(): Promise<void> {
  const compiler = join(import.meta.dirname, '../src/compile-readers.ts')
  await Promise.all([prepareTemplate(), promisify(execFile)(process.execPath, [compiler, 'src'])])
}
