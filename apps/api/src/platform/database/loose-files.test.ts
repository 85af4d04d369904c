import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { insertChatSession, insertMediaItem, insertPicture, insertUser } from '../../../test/factories.ts'
import { createLooseFiles, fileTables, type LooseFiles } from './loose-files.ts'

let database: TestDatabase
let looseFiles: LooseFiles
beforeAll(async () => {
  database = await openTestDatabase()
  looseFiles = createLooseFiles(database)
})
afterAll(() => database.close())

let deleted: string[]
beforeEach(async () => {
  deleted = []
  await database.prisma.looseFile.deleteMany()
})

const deleteDue = () =>
  looseFiles.deleteDue(async (path) => {
    deleted.push(path)
  }, new AbortController().signal)
const noted = async () => (await database.prisma.looseFile.findMany()).map(({ path }) => path)
const makeDue = () => database.prisma.looseFile.updateMany({ data: { dueAt: new Date(Date.now() - 1000) } })

async function pictureOfSomebody() {
  const user = await insertUser(database)
  const { session, question, answer } = await insertChatSession(database, user.id)
  const picture = await insertPicture(database, user.id, question.id)
  return { user, session, question, answer, picture }
}

test('every table with a path names stored files, or is known not to', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'path'`,
  )
  const others = ['damaged_files', 'loose_files', 'watched_folders']
  expect(rows.map(({ name }) => name).sort()).toEqual([...fileTables, ...others].sort())
})

test('the file of a picture is due when its conversation, its message or its account goes', async () => {
  const { prisma } = database
  const [first, second, third] = [await pictureOfSomebody(), await pictureOfSomebody(), await pictureOfSomebody()]
  expect(await looseFiles.hasDue()).toBe(false)
  await prisma.chatSession.delete({ where: { id: first.session.id } })
  await prisma.chatMessage.delete({ where: { id: second.question.id } })
  await prisma.user.delete({ where: { id: third.user.id } })
  expect(await looseFiles.hasDue()).toBe(true)
  await deleteDue()
  expect(deleted.toSorted()).toEqual([first, second, third].map(({ picture }) => picture.path).toSorted())
  expect([await looseFiles.hasDue(), await noted()]).toEqual([false, []])
})

test('a file that another message or a media item names stays until that goes, too', async () => {
  const { prisma } = database
  const { user, question, answer, picture } = await pictureOfSomebody()
  const { path, sha256 } = picture
  const again = await insertPicture(database, user.id, answer.id)
  await prisma.chatMessageImage.update({ where: { id: again.id }, data: { path, sha256 } })
  const item = await insertMediaItem(database, user.id, { path, sha256 })

  await prisma.chatMessageImage.deleteMany({ where: { messageId: question.id } })
  await deleteDue()
  await prisma.chatMessageImage.deleteMany({ where: { messageId: answer.id } })
  await deleteDue()
  expect([deleted, await noted()]).toEqual([[], []])

  await prisma.mediaItem.delete({ where: { id: item.id } })
  await deleteDue()
  expect(deleted).toEqual([path])
})

test('a file that is being stored stays, also when the last row that names it goes meanwhile', async () => {
  const { question, picture } = await pictureOfSomebody()
  await looseFiles.hold(picture.path)
  await database.prisma.chatMessage.delete({ where: { id: question.id } })
  await deleteDue()
  expect([deleted, await noted()]).toEqual([[], [picture.path, picture.path]])
})

test('a file goes that was held for a row that was there already and has gone meanwhile', async () => {
  const { question, picture } = await pictureOfSomebody()
  const holdId = await looseFiles.hold(picture.path)
  await database.prisma.chatMessage.delete({ where: { id: question.id } })
  await deleteDue()
  await database.prisma.looseFile.delete({ where: { id: holdId } })
  await makeDue()
  await deleteDue()
  expect([deleted, await noted()]).toEqual([[picture.path], []])
})

test('a file that was stored and got no row is deleted when its time is over', async () => {
  await looseFiles.hold('a/b/c')
  await deleteDue()
  expect(deleted).toEqual([])
  await makeDue()
  await deleteDue()
  expect([deleted, await noted()]).toEqual([['a/b/c'], []])
})

test('what cannot be deleted stays noted', async () => {
  await looseFiles.hold('a/b/c')
  await makeDue()
  const failing = looseFiles.deleteDue(
    () => Promise.reject(new Error('the disk is gone')),
    new AbortController().signal,
  )
  await expect(failing).rejects.toThrow('the disk is gone')
  expect(await noted()).toEqual(['a/b/c'])
  await expect(looseFiles.deleteDue(async () => {}, AbortSignal.abort())).rejects.toThrow()
  await deleteDue()
  expect(deleted).toEqual(['a/b/c'])
})

test('what cannot be deleted keeps nothing else back', async () => {
  for (const path of ['a/b/c', 'd/e/f', 'g/h/i']) await looseFiles.hold(path)
  await makeDue()
  const failing = looseFiles.deleteDue(async (path) => {
    if (path === 'd/e/f') throw new Error('not permitted')
    deleted.push(path)
  }, new AbortController().signal)
  await expect(failing).rejects.toThrow('not permitted')
  expect([deleted.toSorted(), await noted()]).toEqual([['a/b/c', 'g/h/i'], ['d/e/f']])
})

test('who stores a file while it is being deleted waits for that', async () => {
  await looseFiles.hold('a/b/c')
  await makeDue()
  const order: string[] = []
  let holding: Promise<unknown> = Promise.resolve()
  await looseFiles.deleteDue(async () => {
    holding = looseFiles.hold('a/b/c').then(() => order.push('held'))
    await sleep(100)
    order.push('deleted')
  }, new AbortController().signal)
  await holding
  expect([order, await noted()]).toEqual([['deleted', 'held'], ['a/b/c']])
})
