import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeTree } from './remove-tree.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-remove-'))
  mkdirSync(join(folder, 'outside'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a folder is removed with all its content, however deep and whatever its permissions', async () => {
  const top = join(folder, 'deep')
  const levels = Array.from({ length: 300 }, (_, n) => `level-${n}`)
  mkdirSync(join(top, ...levels), { recursive: true })
  for (const depth of [0, 1, 150, 300]) writeFileSync(join(top, ...levels.slice(0, depth), 'file'), 'content')
  mkdirSync(join(top, 'closed', 'inner'), { recursive: true })
  chmodSync(join(top, 'closed'), 0o000)
  await removeTree(top)
  expect(existsSync(top)).toBe(false)
  await removeTree(top)
})

test('links are removed, but not their targets', async () => {
  const outside = join(folder, 'outside', 'diary')
  writeFileSync(outside, 'a diary')
  const top = join(folder, 'links')
  mkdirSync(join(top, 'inner'), { recursive: true })
  for (const place of ['here', 'inner/there']) symlinkSync(join(folder, 'outside'), join(top, place))
  symlinkSync(join(folder, 'outside'), join(folder, 'link itself'))
  await removeTree(top)
  await removeTree(join(folder, 'link itself'))
  expect(readdirSync(folder)).toEqual(['outside'])
  expect(readdirSync(join(folder, 'outside'))).toEqual(['diary'])
})
