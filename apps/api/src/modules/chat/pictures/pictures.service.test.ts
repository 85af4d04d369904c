import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { writeBmp } from '../../../../test/bmp-files.ts'
import { insertChatSession } from '../../../../test/factories.ts'
import { noisyImage, plainImage, pngWithClaimedSize } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createUnreferencedFiles } from '../../../platform/database/unreferenced-files.ts'
import type { PicturesService } from './pictures.service.ts'

let mira: TestApp
let pictures: PicturesService
let account: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
  pictures = mira.context.pictures
  account = await mira.createUser()
})
afterAll(() => mira.close())

const encode = (file: Buffer) => file.toString('base64')
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it was accepted',
    ({ status, code, message }) => [status, code, message],
  )
/** Attaches images to the question of a new conversation. */
async function attachToQuestion(files: Buffer[], { user } = account) {
  const conversation = await insertChatSession(mira.context.database, user.id)
  const accepted = await pictures.acceptPictures(user.id, files.map(encode))
  await mira.context.database.prisma.$transaction((tx) => pictures.attach(tx, conversation.question.id, accepted))
  return { ...conversation, messageId: conversation.question.id, accepted }
}
const deleteUnreferenced = () =>
  createUnreferencedFiles(mira.context.database).deleteDue(mira.context.files.delete, new AbortController().signal)

describe('accepts', () => {
  test('an image unchanged, with its properties', async () => {
    const file = await plainImage({ width: 60, height: 40, format: 'png' })
    const [picture] = await pictures.acceptPictures(account.user.id, [encode(file)])
    expect(picture).toEqual({
      name: 'picture-1.png',
      path: expect.stringMatching(`^${account.user.id}/[0-9a-f]{2}/[0-9a-f]{64}$`),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      contentType: 'image/png',
      sizeBytes: file.length,
      width: 60,
      height: 40,
      reservationId: expect.any(String),
    })
    const { stream } = await mira.context.files.open(picture?.path ?? '')
    expect(Buffer.concat(await stream.toArray())).toEqual(file)
  })

  test('a data URL, whatever type it declares, and base64 with line breaks', async () => {
    const file = await plainImage({ format: 'webp' })
    const inLines = encode(file).replace(/.{1,76}/g, '$&\r\n')
    const accepted = await pictures.acceptPictures(account.user.id, [
      `data:image/png;base64,${encode(file)}`,
      `data:text/html;charset=utf-8;name=a.html;base64,${encode(file)}`,
      inLines,
    ])
    expect(accepted.map(({ contentType, sizeBytes }) => [contentType, sizeBytes])).toEqual(
      Array(3).fill(['image/webp', file.length]),
    )
    expect(new Set(accepted.map(({ path }) => path)).size).toBe(1)
    expect(accepted.map(({ name }) => name)).toEqual(['picture-1.webp', 'picture-2.webp', 'picture-3.webp'])
  })

  test('a BMP file', async () => {
    const file = writeBmp([[0xff0000, 0x00ff00]], { bitsPerPixel: 24 })
    expect(await pictures.acceptPictures(account.user.id, [encode(file)])).toMatchObject([
      { name: 'picture-1.bmp', contentType: 'image/bmp', width: 2, height: 1 },
    ])
  })
})

describe('rejects, by the number of the image,', () => {
  test('a file that isn’t an image', async () => {
    const good = encode(await plainImage({}))
    const sentence =
      'Picture 2 isn’t a picture that can be read. Use JPEG, PNG, WebP, GIF, AVIF, HEIC, JPEG XL, TIFF, BMP, DNG, CR2, CR3, NEF or ARW.'
    for (const bad of ['SGVsbG8=', 'not base64 at all!', 'data:image/png;base64,SGVsbG8=', 'data:image/png,hello']) {
      expect(await refusalOf(pictures.acceptPictures(account.user.id, [good, bad]))).toEqual([
        415,
        'unsupported_type',
        sentence,
      ])
    }
  })

  test('an empty image', async () => {
    for (const empty of ['', 'data:image/png;base64,', '====']) {
      expect(await refusalOf(pictures.acceptPictures(account.user.id, [empty]))).toEqual([
        422,
        'empty_image',
        'Picture 1 is empty.',
      ])
    }
  })

  test('an image of more than 8 MB, and no smaller one for its size', async () => {
    const limit = 8 * 1024 * 1024
    const refusal = [413, 'image_too_large', 'Picture 1 is larger than 8 MB.']
    for (const size of [limit + 1, limit * 4]) {
      expect(await refusalOf(pictures.acceptPictures(account.user.id, [encode(Buffer.alloc(size))]))).toEqual(refusal)
    }
    expect(await refusalOf(pictures.acceptPictures(account.user.id, [encode(Buffer.alloc(limit))]))).toMatchObject({
      0: 415,
    })
  })

  test('an image of 100 megapixels, and a damaged one', async () => {
    const good = encode(await plainImage({}))
    const huge = encode(await pngWithClaimedSize(10_000, 10_000))
    expect(await refusalOf(pictures.acceptPictures(account.user.id, [good, good, huge]))).toEqual([
      413,
      'too_many_pixels',
      'Picture 3 has more than 50 megapixels. Make it smaller.',
    ])
    const half = encode((await noisyImage({ width: 200, height: 200 })).subarray(0, 9000))
    expect(await refusalOf(pictures.acceptPictures(account.user.id, [half]))).toEqual([
      422,
      'damaged_image',
      'Picture 1 is damaged: it can’t be decoded.',
    ])
  })

  test('a sixth image, before any is read', async () => {
    expect(await refusalOf(pictures.acceptPictures(account.user.id, Array(6).fill('')))).toEqual([
      422,
      'too_many_images',
      'A message can have at most 5 pictures.',
    ])
  })

  test('a message while eight others are storing their images', async () => {
    const picture = encode(await plainImage({}))
    const release = Promise.withResolvers<void>()
    const { put } = mira.context.files
    const putSpy = vi.spyOn(mira.context.files, 'put')
    putSpy.mockImplementation((...args) => release.promise.then(() => put(...args)))
    let refusals = 0
    const messages = Array.from({ length: 12 }, async () => {
      const answer = await refusalOf(pictures.acceptPictures(account.user.id, [picture]))
      if (answer !== 'it was accepted') refusals++
      return answer
    })
    await vi
      .waitFor(() => expect(refusals).toBe(4), 30_000)
      .finally(() => {
        putSpy.mockRestore()
        release.resolve()
      })
    const answers = await Promise.all(messages)
    // the database decides which ones come first: each checks the free space before it queues
    const refusedAnswers = answers.filter((answer) => answer !== 'it was accepted')
    expect(refusedAnswers).toEqual(Array(4).fill([429, 'busy', expect.stringMatching(/^Too much/)]))
    expect(await refusalOf(pictures.acceptPictures(account.user.id, [picture]))).toBe('it was accepted')
  })
})

test('a message has its images in order, and the model gets smaller versions', async () => {
  const large = await noisyImage({ width: 1700, height: 100 })
  const { messageId, accepted } = await attachToQuestion([large, await plainImage({ format: 'tiff' })])
  const path = `/api/chat/messages/${messageId}/images`
  const signed = (start: string) => expect.stringMatching(`^${start.replace('?', '\\?')}[?&]signature=[\\w.-]+$`)
  expect(await pictures.present(account.user.id, [messageId])).toEqual(
    new Map([
      [
        messageId,
        [
          {
            url: signed(`${path}/0`),
            name: 'picture-1.jpg',
            thumbnail: signed(`${path}/0?size=thumbnail`),
            width: 1700,
            height: 100,
          },
          // browsers show every format but TIFF
          {
            url: signed(`${path}/1?size=preview`),
            name: 'picture-2.tif',
            thumbnail: signed(`${path}/1?size=thumbnail`),
            width: 60,
            height: 40,
          },
        ],
      ],
    ]),
  )
  const forModel = await pictures.dataUrlsForModel(account.user.id, [messageId])
  const [first = '', second = ''] = forModel.get(messageId) ?? []
  expect([forModel.size, first.slice(0, 23), second.slice(0, 23)]).toEqual([
    1,
    'data:image/jpeg;base64,',
    'data:image/jpeg;base64,',
  ])
  expect(first.length).toBeLessThan(encode(large).length)
  // the message released the holds
  const holds = accepted.map(({ reservationId }) => reservationId)
  expect(await mira.context.database.prisma.unreferencedFile.count({ where: { id: { in: holds } } })).toBe(0)
})

test('other users can’t get the images in any way', async () => {
  const { messageId } = await attachToQuestion([await plainImage({})])
  const stranger = await mira.createUser({ can_upload: true })
  const { id } = stranger.user
  expect(await pictures.present(id, [messageId])).toEqual(new Map())
  expect(await pictures.dataUrlsForModel(id, [messageId])).toEqual(new Map())
  const refusal = [404, 'not_found', 'This picture no longer exists.']
  expect(await refusalOf(pictures.file(id, messageId, 0, 'original'))).toEqual(refusal)
  const keeper = { userId: id, mayUpload: true, countsInAnalytics: true }
  expect(await refusalOf(pictures.saveToLibrary(keeper, messageId, 0))).toEqual(refusal)
})

test('messages without images aren’t in the result', async () => {
  const { answer, messageId } = await attachToQuestion([await plainImage({})])
  expect([...(await pictures.present(account.user.id, [answer.id, messageId])).keys()]).toEqual([messageId])
  expect(await pictures.present(account.user.id, [])).toEqual(new Map())
})

test('an image whose file is missing is left out for the model', async () => {
  const { messageId, accepted } = await attachToQuestion([
    await plainImage({ colour: '#123456', width: 33 }),
    await plainImage({ colour: '#654321', width: 34 }),
  ])
  await mira.context.files.delete(accepted[0]?.path ?? '')
  // a second server doesn't have it in its cache
  const other = await startTestApp({
    database: mira.context.database,
    config: { dataDir: mira.context.config.dataDir },
  })
  expect((await other.context.pictures.dataUrlsForModel(account.user.id, [messageId])).get(messageId)).toHaveLength(1)
  await other.app.close()
})

test('deleting a conversation deletes its files, except those used by another message or kept in memory', async () => {
  const shared = await plainImage({ colour: '#010203' })
  const unshared = await plainImage({ colour: '#030201' })
  const keptPicture = await plainImage({ colour: '#020301' })
  const first = await attachToQuestion([shared, unshared, keptPicture])
  const second = await attachToQuestion([shared])
  const keeper = { userId: account.user.id, mayUpload: true, countsInAnalytics: true }
  await pictures.saveToLibrary(keeper, first.messageId, 2)
  await mira.context.database.prisma.chatSession.delete({ where: { id: first.session.id } })
  await deleteUnreferenced()
  const exists = async ({ path }: { path: string }) =>
    mira.context.files.open(path).then(
      ({ stream }) => Boolean(stream.destroy()),
      () => false,
    )
  expect(await Promise.all(first.accepted.map(exists))).toEqual([true, false, true])
  await mira.context.database.prisma.chatSession.delete({ where: { id: second.session.id } })
  await deleteUnreferenced()
  expect(await Promise.all(first.accepted.map(exists))).toEqual([false, false, true])
})

test('images that no message used are deleted when they expire', async () => {
  const [accepted] = await pictures.acceptPictures(account.user.id, [encode(await plainImage({ colour: '#0a0b0c' }))])
  const path = accepted?.path ?? ''
  await deleteUnreferenced()
  ;(await mira.context.files.open(path)).stream.destroy()
  await mira.context.database.prisma.unreferencedFile.updateMany({ where: { path }, data: { dueAt: new Date(0) } })
  await deleteUnreferenced()
  await expect(mira.context.files.open(path)).rejects.toThrow('This file is not there.')
})

test('a message that wasn’t stored has no images, and the reservations of its files remain', async () => {
  const { question } = await insertChatSession(mira.context.database, account.user.id)
  const accepted = await pictures.acceptPictures(account.user.id, [encode(await plainImage({}))])
  const { prisma } = mira.context.database
  await expect(
    prisma.$transaction(async (tx) => {
      await pictures.attach(tx, question.id, accepted)
      throw new Error('the message was refused')
    }),
  ).rejects.toThrow('the message was refused')
  expect(await prisma.chatMessageImage.count({ where: { messageId: question.id } })).toBe(0)
  expect(await prisma.unreferencedFile.count({ where: { id: accepted[0]?.reservationId } })).toBe(1)
})
