import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { plainPicture } from '../../../test/pictures.ts'
import { NotFoundError } from '../../errors.ts'
import { createPictureFiles } from './picture-files.ts'
import { createImages } from './picture-reader.ts'

const stored = (path: string) => ({ name: 'a.png', path, sha256: path, contentType: 'image/png', sizeBytes: 1 })

const folder = mkdtempSync(join(tmpdir(), 'mira-picture-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Files that all hold one picture, and which of them were lent. */
async function preparePictures() {
  const filename = join(folder, 'picture.png')
  writeFileSync(filename, await plainPicture({ width: 60, height: 40 }))
  const opened: string[] = []
  const useLocal = async <Result>(path: string, use: (name: string) => Promise<Result>) => {
    opened.push(path)
    if (path === 'gone') throw new NotFoundError('This file is not there.')
    return use(filename)
  }
  const open = () => Promise.reject(new Error('the whole file is not wanted'))
  return { opened, pictureFiles: createPictureFiles({ files: { open, useLocal }, images: createImages() }) }
}

test.each(['thumbnail', 'preview'] as const)('a %s that several want at the same time is made once', async (size) => {
  const { opened, pictureFiles } = await preparePictures()
  const answers = await Promise.all(Array.from({ length: 5 }, () => pictureFiles.inSize(stored('a'), size).open()))
  expect(opened).toEqual(['a'])
  expect(new Set(answers.map(({ sizeBytes }) => sizeBytes)).size).toBe(1)
})

test('a file that is gone is not found, whoever waits for it, and asked for again the next time', async () => {
  const { opened, pictureFiles } = await preparePictures()
  const ask = () => pictureFiles.inSize(stored('gone'), 'thumbnail').open()
  const answers = await Promise.allSettled([ask(), ask()])
  for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: { status: 404 } })
  await expect(ask()).rejects.toBeInstanceOf(NotFoundError)
  expect(opened).toEqual(['gone', 'gone'])
})

test('smaller thumbnails are made for so many at once, and what is small already is sent as it is', async () => {
  const { opened, pictureFiles } = await preparePictures()
  const thumbnailOf = (number: number) => pictureFiles.smallThumbnail({ ...stored(`${number}`), sizeBytes: 20_000 })
  const openings = Array.from({ length: 45 }, (_, number) => thumbnailOf(number)?.open() ?? null)
  expect(openings.filter((opening) => opening === null)).toHaveLength(5)
  await Promise.all(openings)
  expect(opened).toHaveLength(40)
  expect(thumbnailOf(45)).not.toBeNull()
  expect(pictureFiles.smallThumbnail(stored('tiny'))?.etag).toBe('tiny')
})
