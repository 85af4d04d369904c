import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { frame, openResults, type TestResults } from '../../../../test/step-results.ts'
import type { Results } from './results.ts'
import { RunReplacedError, type StepItem } from './step.ts'

let testResults: TestResults
let item: StepItem
let results: Results

beforeAll(async () => {
  testResults = await openResults()
  results = testResults.results
})
afterAll(() => testResults.close())
beforeEach(async () => {
  item = await testResults.newItem()
  await testResults.database.pool.query('DELETE FROM loose_files')
})

const setCopy = async (
  target: StepItem,
  ...args: [kind: 'thumbnail' | 'preview', file: Parameters<Results['setCopy']>[2]]
) => results.store(target, [await results.setCopy(target, ...args)])

const readUnreferencedFiles = async () => {
  const { rows } = await testResults.database.pool.query<{ path: string }>('SELECT path FROM loose_files')
  return rows
}

test('stores the files of parts, and marks replaced ones for deletion', async () => {
  await results.replaceParts(item, 'frame', [frame(1), frame(2), frame(3)])
  const before = await results.parts(item, 'frame')
  expect(before.map(({ number, startSeconds }) => [number, startSeconds])).toEqual([
    [1, 2],
    [2, 4],
    [3, 6],
  ])
  expect(await readUnreferencedFiles()).toEqual([])
  expect(String(await results.readPart(before[1]!))).toBe('part 2')
  // Parts with higher numbers stay until the next turn.
  await results.replaceParts(item, 'frame', [frame(1)], { hasMore: true })
  expect((await results.parts(item, 'frame')).map(({ number }) => number)).toEqual([1, 2, 3])
  await results.replaceParts(item, 'frame', [frame(2, 'another')])
  expect((await results.parts(item, 'frame')).map(({ number }) => number)).toEqual([1, 2])
  const due = new Set((await readUnreferencedFiles()).map(({ path }) => path))
  expect([before[1]?.path, before[2]?.path].every((path) => path !== undefined && due.has(path))).toBe(true)
})

test('a last turn without parts keeps those of earlier turns, and removes those of an earlier run', async () => {
  await results.replaceParts(item, 'frame', [frame(1), frame(2), frame(3), frame(4)])
  await results.replaceParts(item, 'frame', [frame(1), frame(2)], { hasMore: true })
  await results.replaceParts(item, 'frame', [], { after: 2 })
  expect((await results.parts(item, 'frame')).map(({ number }) => number)).toEqual([1, 2])
})

test('stores the thumbnail and preview of an image once, with its facts', async () => {
  const picture = (content: string) => ({
    data: Buffer.from(content),
    contentType: 'image/webp',
    width: 4,
    height: 3,
  })
  const setCopies = (thumbnail: string, preview: string | null) => {
    const copies = { thumbnail: picture(thumbnail), preview: preview === null ? null : picture(preview) }
    const facts = { width: 40, height: 30, latitude: 48.2, longitude: 16.4 }
    return results
      .setPicture(item, copies)
      .then((finding) => results.store(item, [results.updateFacts(item, facts), finding]))
  }
  const { fileCount: before } = await testResults.files.usage(testResults.userId)
  await setCopies('small', 'large')
  await setCopies('smaller', 'larger')
  const row = await testResults.database.prisma.mediaItem.findUniqueOrThrow({ where: { id: item.id } })
  expect(row).toMatchObject({ width: 40, height: 30, latitude: null })
  const copies = await testResults.database.prisma.mediaCopy.findMany({
    where: { mediaItemId: item.id },
    orderBy: { kind: 'asc' },
  })
  const [picturePart, ...others] = await results.parts(item, 'picture')
  expect(others).toEqual([])
  expect(copies.map(({ kind, path }) => [kind, path === picturePart?.path])).toEqual([
    ['preview', false],
    ['thumbnail', true],
  ])
  await testResults.unreferencedFiles.deleteDue(testResults.files.delete, new AbortController().signal)
  expect(String(await results.readPart(picturePart!))).toBe('smaller')
  expect((await testResults.files.usage(testResults.userId)).fileCount).toBe(before + 2)
  expect(await readUnreferencedFiles()).toEqual([])
})

test('keeps a file that several rows reference as long as one does', async () => {
  const content = Buffer.from('the same')
  await setCopy(item, 'thumbnail', { content, contentType: 'image/webp', width: 4, height: 3 })
  await results.replaceParts(item, 'frame', [frame(1, 'the same')])
  await setCopy(item, 'thumbnail', { content: Buffer.from('new'), contentType: 'image/webp' })
  await testResults.unreferencedFiles.deleteDue(testResults.files.delete, new AbortController().signal)
  const [kept] = await results.parts(item, 'frame')
  expect(String(await results.readPart(kept!))).toBe('the same')
})

test('marks the files of an item deleted meanwhile for deletion', async () => {
  await testResults.database.prisma.mediaItem.delete({ where: { id: item.id } })
  await testResults.database.pool.query('DELETE FROM loose_files')
  const storing = setCopy(item, 'preview', { content: Buffer.from('late'), contentType: 'text/plain' })
  await expect(storing).rejects.toBeInstanceOf(RunReplacedError)
  expect(await readUnreferencedFiles()).toHaveLength(1)
  expect(await testResults.unreferencedFiles.hasDue()).toBe(true)
})
