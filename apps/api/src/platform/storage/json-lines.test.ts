import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readJsonLines, writeJsonLines } from './json-lines.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-json-lines-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('values are read as they were written, whatever line separators they contain', async () => {
  const values = ['one\u2028two\u2029three\r\nfour\u0085', 'é'.repeat(200_000), { a: [1, null] }, '']
  const filename = join(folder, 'values.ndjson')
  await writeJsonLines(filename, values)
  const read: unknown[] = []
  for await (const value of readJsonLines(filename, new AbortController().signal)) read.push(value)
  expect(read).toEqual(values)
})
