import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { mergedZips, ZipProblem, zipOfFiles } from './zip-blob.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-zip-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const text = (content: string) => new Blob([content])

/** What another reader of archives finds in one. */
async function readByPython(archive: Blob): Promise<Record<string, string>> {
  const filename = join(folder, 'archive.zip')
  writeFileSync(filename, Buffer.from(await archive.arrayBuffer()))
  const program =
    'import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))'
  return JSON.parse(execFileSync('python3', ['-c', program, filename], { encoding: 'utf8' }))
}

test('a folder becomes an archive that other programs read', async () => {
  const archive = await zipOfFiles([
    { path: 'Photos/Zoë/IMG_1.jpg', file: text('one') },
    { path: 'Photos/empty.txt', file: text('') },
  ])
  expect(await readByPython(archive)).toEqual({ 'Photos/Zoë/IMG_1.jpg': 'one', 'Photos/empty.txt': '' })
})

test('parts of an export become one, with what they repeat once and nothing lost', async () => {
  const parts = await Promise.all([
    zipOfFiles([
      { path: 'Takeout/archive.html', file: text('about') },
      { path: 'Takeout/a.jpg', file: text('picture') },
      { path: 'Takeout/same.json', file: text('first') },
    ]),
    zipOfFiles([
      { path: 'Takeout/archive.html', file: text('about') },
      { path: 'Takeout/a.jpg.json', file: text('{}') },
      { path: 'Takeout/same.json', file: text('second') },
    ]),
  ])
  expect(await readByPython(await mergedZips(parts))).toEqual({
    'Takeout/archive.html': 'about',
    'Takeout/a.jpg': 'picture',
    'Takeout/same.json': 'first',
    'Takeout/a.jpg.json': '{}',
    'part-2/Takeout/same.json': 'second',
  })
})

test('a part that ends early is named as what it is', async () => {
  const whole = await zipOfFiles([{ path: 'a.jpg', file: text('picture') }])
  await expect(mergedZips([whole, whole.slice(0, whole.size - 30)])).rejects.toBeInstanceOf(ZipProblem)
})
