import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { insertChatSession, insertMediaItem, insertPicture, insertUser } from '../../../test/factories.ts'
import { createUnreferencedFiles, fileTables, type UnreferencedFiles } from './unreferenced-files.ts'

let database: TestDatabase
let unreferencedFiles: UnreferencedFiles
beforeAll(async () => {
  database = await openTestDatabase()
  unreferencedFiles = createUnreferencedFiles(database)
})
afterAll(() => database.close())

let deleted: string[]
beforeEach(async () => {
  deleted = []
  await database.prisma.unreferencedFile.deleteMany()
})

const deleteDue = () =>
  unreferencedFiles.deleteDue(async (path) => {
    deleted.push(path)
  }, new AbortController().signal)
const recordedPaths = async () => (await database.prisma.unreferencedFile.findMany()).map(({ path }) => path)
const makeDue = () => database.prisma.unreferencedFile.updateMany({ data: { dueAt: new Date(Date.now() - 1000) } })

async function insertPictureOfUser() {
  const user = await insertUser(database)
  const { session, question, answer } = await insertChatSession(database, user.id)
  const picture = await insertPicture(database, user.id, question.id)
  return { user, session, question, answer, picture }
}

test('every table with a path is in fileTables or a known exception', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'path'`,
  )
  const others = ['damaged_files', 'loose_files', 'watched_folders']
  expect(rows.map(({ name }) => name).sort()).toEqual([...fileTables, ...others].sort())
})

test('the file of an image is due when its conversation, message or account is deleted', async () => {
  const { prisma } = database
  const [first, second, third] = [await insertPictureOfUser(), await insertPictureOfUser(), await insertPictureOfUser()]
  expect(await unreferencedFiles.hasDue()).toBe(false)
  await prisma.chatSession.delete({ where: { id: first.session.id } })
  await prisma.chatMessage.delete({ where: { id: second.question.id } })
  await prisma.user.delete({ where: { id: third.user.id } })
  expect(await unreferencedFiles.hasDue()).toBe(true)
  await deleteDue()
  expect(deleted.toSorted()).toEqual([first, second, third].map(({ picture }) => picture.path).toSorted())
  expect([await unreferencedFiles.hasDue(), await recordedPaths()]).toEqual([false, []])
})

test('a file stays until the last message or media item that names it is deleted', async () => {
  const { prisma } = database
  const { user, question, answer, picture } = await insertPictureOfUser()
  const { path, sha256 } = picture
  const secondPicture = await insertPicture(database, user.id, answer.id)
  await prisma.chatMessageImage.update({ where: { id: secondPicture.id }, data: { path, sha256 } })
  const item = await insertMediaItem(database, user.id, { path, sha256 })

  await prisma.chatMessageImage.deleteMany({ where: { messageId: question.id } })
  await deleteDue()
  await prisma.chatMessageImage.deleteMany({ where: { messageId: answer.id } })
  await deleteDue()
  expect([deleted, await recordedPaths()]).toEqual([[], []])

  await prisma.mediaItem.delete({ where: { id: item.id } })
  await deleteDue()
  expect(deleted).toEqual([path])
})

test('a file that is being stored stays, even when the last row that names it is deleted meanwhile', async () => {
  const { question, picture } = await insertPictureOfUser()
  await unreferencedFiles.reserve(picture.path)
  await database.prisma.chatMessage.delete({ where: { id: question.id } })
  await deleteDue()
  expect([deleted, await recordedPaths()]).toEqual([[], [picture.path, picture.path]])
})

test('a file is deleted when the row that it was reserved for has been deleted meanwhile', async () => {
  const { question, picture } = await insertPictureOfUser()
  const reservationId = await unreferencedFiles.reserve(picture.path)
  await database.prisma.chatMessage.delete({ where: { id: question.id } })
  await deleteDue()
  await database.prisma.unreferencedFile.delete({ where: { id: reservationId } })
  await makeDue()
  await deleteDue()
  expect([deleted, await recordedPaths()]).toEqual([[picture.path], []])
})

test('a reserved file without a row is deleted when its time is over', async () => {
  await unreferencedFiles.reserve('a/b/c')
  await deleteDue()
  expect(deleted).toEqual([])
  await makeDue()
  await deleteDue()
  expect([deleted, await recordedPaths()]).toEqual([['a/b/c'], []])
})

test('a file that cannot be deleted stays recorded', async () => {
  await unreferencedFiles.reserve('a/b/c')
  await makeDue()
  const failing = unreferencedFiles.deleteDue(
    () => Promise.reject(new Error('the disk is gone')),
    new AbortController().signal,
  )
  await expect(failing).rejects.toThrow('the disk is gone')
  expect(await recordedPaths()).toEqual(['a/b/c'])
  await expect(unreferencedFiles.deleteDue(async () => {}, AbortSignal.abort())).rejects.toThrow()
  await deleteDue()
  expect(deleted).toEqual(['a/b/c'])
})

test('a file that cannot be deleted does not keep others from being deleted', async () => {
  for (const path of ['a/b/c', 'd/e/f', 'g/h/i']) await unreferencedFiles.reserve(path)
  await makeDue()
  const failing = unreferencedFiles.deleteDue(async (path) => {
    if (path === 'd/e/f') throw new Error('not permitted')
    deleted.push(path)
  }, new AbortController().signal)
  await expect(failing).rejects.toThrow('not permitted')
  expect([deleted.toSorted(), await recordedPaths()]).toEqual([['a/b/c', 'g/h/i'], ['d/e/f']])
})

test('reserving a file waits while it is being deleted', async () => {
  await unreferencedFiles.reserve('a/b/c')
  await makeDue()
  const order: string[] = []
  let reserving: Promise<unknown> = Promise.resolve()
  await unreferencedFiles.deleteDue(async () => {
    reserving = unreferencedFiles.reserve('a/b/c').then(() => order.push('held'))
    await sleep(100)
    order.push('deleted')
  }, new AbortController().signal)
  await reserving
  expect([order, await recordedPaths()]).toEqual([['deleted', 'held'], ['a/b/c']])
})
