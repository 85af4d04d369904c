import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesIn } from './files.ts'

test('lists a folder and a file that can no longer be read, and continues with the others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mira-files-'))
  try {
    await mkdir(join(folder, 'b'))
    for (const name of ['a.txt', 'b/b.txt', 'c.txt', 'd.txt']) await writeFile(join(folder, name), name)
    const paths: string[] = []
    for await (const { path } of filesIn([folder])) {
      if (paths.length === 0)
        await Promise.all(['b', 'c.txt'].map((name) => rm(join(folder, name), { recursive: true })))
      paths.push(path)
    }
    expect(paths).toEqual(['a.txt', 'b', 'c.txt', 'd.txt'].map((name) => join(folder, name)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
