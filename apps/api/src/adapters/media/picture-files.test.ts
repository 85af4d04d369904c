import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { plainPicture } from '../../../test/pictures.ts'
import { NotFoundError } from '../../errors.ts'
import { createImages, type Images } from './image.ts'
import { createPictureFiles } from './picture-files.ts'

const stored = (path: string) => ({ name: 'a.png', path, sha256: path, contentType: 'image/png', sizeBytes: 1 })

/** Files that all hold one picture, and how many of them were opened. */
async function preparePictures(images: Images = createImages({ atOnce: 1 })) {
  const content = await plainPicture({ width: 60, height: 40 })
  const opened: string[] = []
  const open = async (path: string) => {
    opened.push(path)
    if (path === 'gone') throw new NotFoundError('This file is not there.')
    return { sizeBytes: content.length, stream: Readable.from([content]) }
  }
  return { opened, pictureFiles: createPictureFiles({ files: { open }, images }) }
}

test('a file is read when it is its turn, not while it waits', async () => {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const images = createImages({ atOnce: 1 })
  const holder = images.thumbnail(async () => {
    await held
    return plainPicture({})
  })
  const { opened, pictureFiles } = await preparePictures(images)
  const waiting = ['a', 'b', 'c'].map((path) => pictureFiles.inSize(stored(path), 'thumbnail').open())
  await wait(20)
  expect(opened).toEqual([])
  letGo()
  await holder
  expect((await Promise.all(waiting)).every(({ sizeBytes }) => sizeBytes > 0)).toBe(true)
  expect(opened).toEqual(['a', 'b', 'c'])
})

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
