import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const FILE = 'inter-latin-400-700.woff2'
const plain = (range: string | undefined) => range?.replaceAll(/\s+/g, '')
const rangeOf = (css: string, file: string) =>
  plain(new RegExp(`${file.replaceAll('.', '\\.')}['")][^}]*unicode-range:([^;]+);`).exec(css)?.[1])

it('the font of Latin scripts is small and covers the same range as the package’s own', async () => {
  const ours = await readFile(join(import.meta.dirname, '../../main.css'), 'utf8')
  const theirs = await readFile(createRequire(import.meta.url).resolve('@fontsource-variable/inter/wght.css'), 'utf8')
  const range = rangeOf(theirs, 'inter-latin-wght-normal.woff2')
  expect(range).toMatch(/^U\+0000-00FF,/)
  expect(rangeOf(ours, FILE)).toBe(range)
  // later rules win
  expect(ours.indexOf(FILE)).toBeGreaterThan(ours.indexOf('@fontsource-variable/inter'))
  expect((await stat(join(import.meta.dirname, FILE))).size).toBeLessThan(33_000)
})
