import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { frame, openResults, type TestResults } from '../../../../test/step-results.ts'
import type { Results } from './results.ts'
import { OvertakenError, type StepItem } from './step.ts'

let opened: TestResults
let item: StepItem
let results: Results

beforeAll(async () => {
  opened = await openResults()
  results = opened.results
})
afterAll(() => opened.close())
beforeEach(async () => {
  item = await opened.newItem()
  await opened.database.pool.query('DELETE FROM loose_files')
})

const setCopy = async (
  of: StepItem,
  ...args: [kind: 'thumbnail' | 'preview', file: Parameters<Results['setCopy']>[2]]
) => results.store(of, [await results.setCopy(of, ...args)])

const loose = async () => {
  const { rows } = await opened.database.pool.query<{ path: string }>('SELECT path FROM loose_files')
  return rows
}

test('files of parts are stored and named, those that are replaced are left to be deleted', async () => {
  await results.replaceParts(item, 'frame', [frame(1), frame(2), frame(3)])
  const before = await results.parts(item, 'frame')
  expect(before.map(({ number, startSeconds }) => [number, startSeconds])).toEqual([
    [1, 2],
    [2, 4],
    [3, 6],
  ])
  expect(await loose()).toEqual([])
  expect(String(await results.readPart(before[1]!))).toBe('part 2')
  // those of another turn stay until it comes
  await results.replaceParts(item, 'frame', [frame(1)], { hasMore: true })
  expect((await results.parts(item, 'frame')).map(({ number }) => number)).toEqual([1, 2, 3])
  await results.replaceParts(item, 'frame', [frame(2, 'another')])
  expect((await results.parts(item, 'frame')).map(({ number }) => number)).toEqual([1, 2])
  const due = new Set((await loose()).map(({ path }) => path))
  expect([before[1]?.path, before[2]?.path].every((path) => path !== undefined && due.has(path))).toBe(true)
})

test('a last turn that draws nothing keeps the parts of earlier turns, and removes those of an earlier run', async () => {
  await results.replaceParts(item, 'frame', [frame(1), frame(2), frame(3), frame(4)])
  await results.replaceParts(item, 'frame', [frame(1), frame(2)], { hasMore: true })
  await results.replaceParts(item, 'frame', [], { after: 2 })
  expect((await results.parts(item, 'frame')).map(({ number }) => number)).toEqual([1, 2])
})

test('files that show a picture are stored once, with its facts', async () => {
  const picture = (content: string) => ({
    data: Buffer.from(content),
    contentType: 'image/webp',
    width: 4,
    height: 3,
  })
  const set = (thumbnail: string, preview: string | null) => {
    const copies = { thumbnail: picture(thumbnail), preview: preview === null ? null : picture(preview) }
    const facts = { width: 40, height: 30, latitude: 48.2, longitude: 16.4 }
    return results
      .setPicture(item, copies)
      .then((finding) => results.store(item, [results.describe(item, facts), finding]))
  }
  const { fileCount: before } = await opened.files.usage(opened.userId)
  await set('small', 'large')
  await set('smaller', 'larger')
  const row = await opened.database.prisma.mediaItem.findUniqueOrThrow({ where: { id: item.id } })
  expect(row).toMatchObject({ width: 40, height: 30, latitude: null })
  const copies = await opened.database.prisma.mediaCopy.findMany({
    where: { mediaItemId: item.id },
    orderBy: { kind: 'asc' },
  })
  const [only, ...others] = await results.parts(item, 'picture')
  expect(others).toEqual([])
  expect(copies.map(({ kind, path }) => [kind, path === only?.path])).toEqual([
    ['preview', false],
    ['thumbnail', true],
  ])
  await opened.looseFiles.deleteDue(opened.files.delete, new AbortController().signal)
  expect(String(await results.readPart(only!))).toBe('smaller')
  expect((await opened.files.usage(opened.userId)).fileCount).toBe(before + 2)
  expect(await loose()).toEqual([])
})

test('files that many rows name stay as long as one does', async () => {
  const content = Buffer.from('the same')
  await setCopy(item, 'thumbnail', { content, contentType: 'image/webp', width: 4, height: 3 })
  await results.replaceParts(item, 'frame', [frame(1, 'the same')])
  await setCopy(item, 'thumbnail', { content: Buffer.from('new'), contentType: 'image/webp' })
  await opened.looseFiles.deleteDue(opened.files.delete, new AbortController().signal)
  const [kept] = await results.parts(item, 'frame')
  expect(String(await results.readPart(kept!))).toBe('the same')
})

test('files of an item that was deleted meanwhile are deleted', async () => {
  await opened.database.prisma.mediaItem.delete({ where: { id: item.id } })
  await opened.database.pool.query('DELETE FROM loose_files')
  const storing = setCopy(item, 'preview', { content: Buffer.from('late'), contentType: 'text/plain' })
  await expect(storing).rejects.toBeInstanceOf(OvertakenError)
  expect(await loose()).toHaveLength(1)
  expect(await opened.looseFiles.hasDue()).toBe(true)
})
