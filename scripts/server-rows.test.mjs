import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = readFileSync(join(root, 'docs/log/servers.md'), 'utf8')

/** Rows of the tables: their number, a test file and words in it. */
const rows = page.split('\n').flatMap((line) => {
  const [, number, place, words] = /^\| (\d+) \|.*\| `([^`]+)` (.+) \|$/.exec(line) ?? []
  if (number === undefined) return []
  const [, area, path] = /^(?:(web|e2e) )?(.+)$/.exec(place)
  const folder = area === undefined ? 'apps/api/src' : area === 'web' ? 'apps/web/src' : 'e2e'
  return [{ number: Number(number), file: join(root, folder, path), words }]
})

test('every listed behaviour of servers and programs has a test that exists', () => {
  expect(rows.length).toBe(page.split('\n').filter((line) => /^\| \d/.test(line)).length)
  const last = Math.max(...rows.map(({ number }) => number))
  expect(new Set(rows.map(({ number }) => number)).size).toBe(last)
  const missing = rows.filter(({ file, words }) => {
    return !existsSync(file) || !readFileSync(file, 'utf8').replaceAll("\\'", "'").includes(words)
  })
  expect(missing).toEqual([])
})
