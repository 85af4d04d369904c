import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { moveFile } from './whole-file.ts'

/** In memory on Linux, apart from the folder of temporary files. */
const OTHER_DISK = '/dev/shm'
const here = mkdtempSync(join(tmpdir(), 'mira-move-'))
const isThere = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(here).dev
const there = isThere ? mkdtempSync(join(OTHER_DISK, 'mira-move-')) : ''
afterAll(() => {
  for (const folder of [here, there]) if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

test.skipIf(!isThere)('a file is moved to another disk', async () => {
  const [from, to] = [join(here, 'letter'), join(there, 'letter')]
  writeFileSync(from, 'a letter')
  await moveFile(from, to)
  expect([existsSync(from), readFileSync(to, 'utf8')]).toEqual([false, 'a letter'])
})
