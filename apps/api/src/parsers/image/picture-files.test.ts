import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { plainImage } from '../../../test/pictures.ts'
import { NotFoundError } from '../../errors.ts'
import { createPictureFiles } from './picture-files.ts'
import { createImages } from './picture-reader.ts'

const storedFile = (path: string) => ({ name: 'a.png', path, sha256: path, contentType: 'image/png', sizeBytes: 1 })

const folder = mkdtempSync(join(tmpdir(), 'mira-picture-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Image files over a store that has the same image at every path, with the paths opened so far. */
async function preparePictures() {
  const filename = join(folder, 'picture.png')
  writeFileSync(filename, await plainImage({ width: 60, height: 40 }))
  const openedPaths: string[] = []
  const useLocal = async <Result>(path: string, use: (name: string) => Promise<Result>) => {
    openedPaths.push(path)
    if (path === 'gone') throw new NotFoundError('This file is not there.')
    return use(filename)
  }
  const open = () => Promise.reject(new Error('the whole file must not be opened'))
  return { openedPaths, pictureFiles: createPictureFiles({ files: { open, useLocal }, images: createImages() }) }
}

test.each(['thumbnail', 'preview'] as const)('makes a %s once for concurrent requests', async (size) => {
  const { openedPaths, pictureFiles } = await preparePictures()
  const files = await Promise.all(Array.from({ length: 5 }, () => pictureFiles.inSize(storedFile('a'), size).open()))
  expect(openedPaths).toEqual(['a'])
  expect(new Set(files.map(({ sizeBytes }) => sizeBytes)).size).toBe(1)
})

test('rejects all concurrent requests for a missing file, and opens it again the next time', async () => {
  const { openedPaths, pictureFiles } = await preparePictures()
  const openThumbnail = () => pictureFiles.inSize(storedFile('gone'), 'thumbnail').open()
  const outcomes = await Promise.allSettled([openThumbnail(), openThumbnail()])
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 404 } })
  await expect(openThumbnail()).rejects.toBeInstanceOf(NotFoundError)
  expect(openedPaths).toEqual(['gone', 'gone'])
})

test('makes at most 40 smaller thumbnails at once, and sends a small file as it is', async () => {
  const { openedPaths, pictureFiles } = await preparePictures()
  const thumbnailOf = (number: number) => pictureFiles.smallThumbnail({ ...storedFile(`${number}`), sizeBytes: 20_000 })
  const openings = Array.from({ length: 45 }, (_, number) => thumbnailOf(number)?.open() ?? null)
  expect(openings.filter((opening) => opening === null)).toHaveLength(5)
  await Promise.all(openings)
  expect(openedPaths).toHaveLength(40)
  expect(thumbnailOf(45)).not.toBeNull()
  expect(pictureFiles.smallThumbnail(storedFile('tiny'))?.etag).toBe('tiny')
})
