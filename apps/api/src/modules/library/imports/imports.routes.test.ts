import { readdir } from 'node:fs/promises'
import type { ChatSessionJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readBinary } from '../../../../test/binary.ts'
import { chatGptConversation, chatGptExport } from '../../../../test/exported-chats.ts'
import { insertMediaItem } from '../../../../test/factories.ts'
import {
  callsOf,
  conversationsOf,
  importCounts,
  importExport,
  waitForImportEnd,
} from '../../../../test/import-client.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { countStatements } from '../../../../test/statement-counter.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let picture: Buffer

beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  picture = await plainImage({ width: 6, height: 4, format: 'png' })
})

afterAll(() => mira.close())

const as = (account: TestAccount) => callsOf(mira, account)

const waitForEnd = (account: TestAccount, id: string) => waitForImportEnd(as(account), id)
const runImport = (account: TestAccount, source: string, file: Buffer, fields = {}) =>
  importExport(as(account), source, file, fields)
const conversations = (account: TestAccount) => conversationsOf(as(account))

test('rejects a file when the disk or the user’s storage is full', async () => {
  const anna = await mira.createUser()
  const { files, settings } = mira.context
  const send = async () => {
    const request = as(anna).post('/imports').field({ source: 'chatgpt' })
    const { status, body } = await request.attach('file', Buffer.alloc(5000), 'export.zip')
    return [status, body.code]
  }
  const freeBytes = vi.spyOn(files, 'freeBytes').mockResolvedValue(1000)
  expect(await send()).toEqual([507, 'storage_full'])
  freeBytes.mockRestore()
  const before = settings.current()
  await settings.save({ ...before, limits: { ...before.limits, storage_bytes_per_user: 1024 * 1024 } }, {})
  await insertMediaItem(mira.context.database, anna.user.id, { sizeBytes: BigInt(1024 * 1024 - 1000) })
  expect(await send()).toEqual([507, 'user_storage_full'])
  await settings.save(before, {})
  expect((await as(anna).get('/imports').expect(200)).body.imports).toEqual([])
})

describe('a ChatGPT export', () => {
  test('is previewed, then imported with branches, images and dates, and never twice', async () => {
    const anna = await mira.createUser()
    const file = await chatGptExport(picture)
    const counted = await runImport(anna, 'chatgpt', file, { preview: 'true' })
    expect(importCounts(counted)).toEqual({ state: 'done', found: 1, imported: 0, skipped: 0 })
    expect(await conversations(anna)).toEqual([])
    await as(anna).post(`/imports/${counted.id}/start`).expect(202)
    expect(importCounts(await waitForEnd(anna, counted.id))).toEqual({
      state: 'done',
      found: 1,
      imported: 1,
      skipped: 0,
    })
    await as(anna).post(`/imports/${counted.id}/start`).expect(409)
    const [conversation] = await conversations(anna)
    expect(conversation).toMatchObject({
      session_name: 'Lighthouses',
      created_at: '2025-03-01T10:00:00.000Z',
      updated_at: '2025-03-01T10:09:00.000Z',
    })
    expect(conversation!.messages).toMatchObject([
      {
        role: 'user',
        content: 'What is this?',
        created_at: '2025-03-01T10:01:00.000Z',
        images: [{ width: 6, height: 4 }],
      },
      {
        role: 'assistant',
        content: '```python\nlook()\n```\n\n```\nseen\n```\n\nA lighthouse.',
        model_used: 'gpt-4o',
        siblings: { index: 1, count: 2 },
      },
    ])
    const response = await mira.request
      .get(conversation!.messages[0]!.images[0]!.url)
      .buffer(true)
      .parse(readBinary)
      .expect(200)
    expect(response.body).toEqual(picture)
    const importActivities = async () =>
      (
        await mira.context.database.prisma.activity.findMany({ where: { userId: anna.user.id, kind: 'account' } })
      ).filter(({ detail }) => (detail as { action: string }).action === 'conversations_imported')
    expect((await importActivities()).map(({ detail }) => detail)).toMatchObject([{ source: 'chatgpt', count: 1 }])
    expect(importCounts(await runImport(anna, 'chatgpt', file))).toEqual({
      state: 'done',
      found: 1,
      imported: 0,
      skipped: 1,
    })
    // An import that adds nothing records no activity.
    expect(await importActivities()).toHaveLength(1)
    expect(await conversations(anna)).toHaveLength(1)
    const { body } = await as(anna).get('/imports?limit=1').expect(200)
    expect(body).toMatchObject({ imports: [{ skipped: 1 }], next_cursor: expect.any(String) })
  })

  test('moves to the trash as a whole when undone, and existing conversations stay', async () => {
    const anna = await mira.createUser()
    await runImport(anna, 'chatgpt', await chatGptExport(picture))
    const second = await runImport(
      anna,
      'chatgpt',
      await chatGptExport(picture, [chatGptConversation(), chatGptConversation('conversation-2', 'Another')]),
    )
    expect(importCounts(second)).toEqual({ state: 'done', found: 2, imported: 1, skipped: 1 })
    await as(anna).delete(`/imports/${second.id}`).expect(204)
    await as(anna).get(`/imports/${second.id}`).expect(404)
    expect((await conversations(anna)).map(({ session_name: name }) => name)).toEqual(['Lighthouses'])
    const { body } = await as(anna).get('/imports').expect(200)
    await as(anna).delete(`/imports/${body.imports[0].id}`).expect(204)
    expect(await conversations(anna)).toEqual([])
    const trashed = async () => (await as(anna).get('/chat/sessions?in=trash').expect(200)).body as ChatSessionJson[]
    expect((await trashed()).map(({ session_name: name }) => name).toSorted()).toEqual(['Another', 'Lighthouses'])
    const lighthouses = (await trashed()).find(({ session_name: name }) => name === 'Lighthouses')!
    await as(anna)
      .post('/chat/sessions/restore')
      .send({ ids: [lighthouses.id] })
      .expect(200)
    expect((await as(anna).get('/chat/sessions?query=lighthouse').expect(200)).body).toHaveLength(1)
    // Undone conversations are imported again.
    const again = await runImport(
      anna,
      'chatgpt',
      await chatGptExport(picture, [chatGptConversation('conversation-2')]),
    )
    expect(importCounts(again)).toEqual({ state: 'done', found: 1, imported: 1, skipped: 0 })
    // Restored ones are skipped.
    const third = await runImport(anna, 'chatgpt', await chatGptExport(picture))
    expect(importCounts(third)).toMatchObject({ state: 'done', imported: 0, skipped: third.found })
  })

  test('is deleted with its files when undone on a server without a trash', async () => {
    const anna = await mira.createUser()
    const { id } = await runImport(anna, 'chatgpt', await chatGptExport(picture))
    const { settings } = mira.context
    const before = settings.current()
    await settings.save({ ...before, retention: { ...before.retention, trash_days: 0 } }, {})
    await as(anna).delete(`/imports/${id}`).expect(204)
    await settings.save(before, {})
    expect(await conversations(anna)).toEqual([])
    expect((await as(anna).get('/chat/sessions?in=trash').expect(200)).body).toEqual([])
    const folder = `${mira.context.config.dataDir}/files/${anna.user.id}`
    const files = async () =>
      (await readdir(folder, { recursive: true }).catch(() => [])).filter((name) => name.length > 60)
    await expect.poll(files, { timeout: 15_000 }).toEqual([])
  })

  test('shows how much is left while it’s being undone', async () => {
    const anna = await mira.createUser()
    const many = Array.from({ length: 201 }, (_, index) =>
      chatGptConversation(`conversation-${index}`, `Talk ${index}`),
    )
    const { id, imported } = await runImport(anna, 'chatgpt', await chatGptExport(picture, many))
    expect(imported).toBe(many.length)
    let isUndone = false
    const undoing = as(anna)
      .delete(`/imports/${id}`)
      .expect(204)
      .then(() => {
        isUndone = true
      })
    const importedCounts = new Set<number>()
    while (!isUndone) {
      const { body, status } = await as(anna).get(`/imports/${id}`)
      if (status === 200) importedCounts.add(body.imported)
    }
    await undoing
    expect([...importedCounts].some((count) => count > 0 && count < many.length)).toBe(true)
    expect(await conversations(anna)).toEqual([])
  })

  test('is undone in the background, also after the server was stopped', async () => {
    const anna = await mira.createUser()
    const many = Array.from({ length: 201 }, (_, index) =>
      chatGptConversation(`conversation-${index}`, `Talk ${index}`),
    )
    const { id } = await runImport(anna, 'chatgpt', await chatGptExport(picture, many))
    const { body } = await as(anna).delete(`/imports/${id}?wait=0`).expect(202)
    expect(body).toMatchObject({ id, state: 'undoing' })
    expect(body.imported).toBeGreaterThan(0)
    // A second request waits for the same undo.
    await as(anna).delete(`/imports/${id}`).expect(204)
    expect(await conversations(anna)).toEqual([])

    const interrupted = await runImport(anna, 'chatgpt', await chatGptExport(picture))
    await mira.context.database.prisma.import.update({
      where: { id: interrupted.id },
      data: { state: 'undoing', updatedAt: new Date(Date.now() - 3_600_000) },
    })
    await mira.context.imports.sweep()
    await mira.context.imports.sweep()
    const { rowCount } = await mira.context.database.pool.query(
      `SELECT FROM pgboss.job WHERE name = 'undo-import' AND data ->> 'import_id' = $1`,
      [interrupted.id],
    )
    expect(rowCount).toBe(1)
    await expect
      .poll(async () => (await as(anna).get(`/imports/${interrupted.id}`)).status, { timeout: 20_000 })
      .toBe(404)
    expect(await conversations(anna)).toEqual([])
  })
})

test('stores many conversations with few statements, and makes them searchable shortly after', async () => {
  const anna = await mira.createUser()
  const many = Array.from({ length: 120 }, (_, index) => chatGptConversation(`few-${index}`, `Talk ${index}`))
  const { prisma, pool } = mira.context.database
  const statements = countStatements()
  const result = await runImport(anna, 'chatgpt', Buffer.from(JSON.stringify(many)))
  statements.stop()
  const inserts = statements.texts().filter((text) => /INSERT INTO chat_(sessions|messages)/.test(text))
  expect(importCounts(result)).toEqual({ state: 'done', found: 120, imported: 120, skipped: 0 })
  expect(inserts.length).toBeLessThan(10)
  const sessionCount = async () =>
    (await as(anna).get('/chat/sessions?query=lighthouse&limit=100').expect(200)).body.length
  await expect
    .poll(async () => (await as(anna).get(`/imports/${result.id}`)).body.unsearched, { timeout: 20_000 })
    .toBe(0)
  expect(await sessionCount()).toBe(100)
  // As after a crash partway: the rest is found when the server looks for lost work.
  const things = await prisma.importedObject.findMany({ where: { importId: result.id }, take: 70 })
  const sessionIds = things.map(({ sessionId }) => sessionId)
  await prisma.importedObject.updateMany({
    where: { sessionId: { in: sessionIds.map(String) } },
    data: { isSearched: false },
  })
  await pool.query('UPDATE chat_messages SET lang = NULL WHERE session_id = ANY ($1::uuid[])', [sessionIds])
  expect(await sessionCount()).toBe(50)
  expect((await as(anna).get('/imports?limit=1')).body.imports[0].unsearched).toBe(70)
  await mira.context.queue.enqueue('index-words', {})
  await expect.poll(sessionCount, { timeout: 20_000 }).toBe(100)
})

test('previews a file of a wrong source again with the right one, without another upload', async () => {
  const [anna, ben] = [await mira.createUser(), await mira.createUser()]
  const { body } = await as(anna)
    .post('/imports')
    .field({ source: 'claude', preview: 'true' })
    .attach('file', await chatGptExport(picture), 'export.zip')
    .expect(202)
  const path = `/imports/${body.id}`
  expect(body.has_file).toBe(false)
  expect(await waitForEnd(anna, body.id)).toMatchObject({ state: 'failed', has_file: true })
  await as(ben).post(`${path}/source`).send({ source: 'chatgpt' }).expect(404)
  await as(anna).post(`${path}/source`).send({ source: 'immich' }).expect(422)
  await as(anna).post(`${path}/source`).send({ source: 'librechat' }).expect(202)
  expect(await waitForEnd(anna, body.id)).toMatchObject({ source: 'librechat', state: 'failed', has_file: true })
  const again = await as(anna).post(`${path}/source`).send({ source: 'chatgpt' }).expect(202)
  expect(again.body).toMatchObject({ source: 'chatgpt', error: null, told: [] })
  expect(await waitForEnd(anna, body.id)).toMatchObject({ state: 'done', preview: true, found: 1, has_file: false })
  await as(anna).post(`${path}/source`).send({ source: 'claude' }).expect(409)
  await as(anna).post(`${path}/start`).expect(202)
  expect(importCounts(await waitForEnd(anna, body.id))).toEqual({ state: 'done', found: 1, imported: 1, skipped: 0 })
})

test('rejects an import without a file, a known source or the permission to chat', async () => {
  const [anna, ben] = [await mira.createUser(), await mira.createUser({ can_chat: false })]
  await as(anna).post('/imports').field('source', 'chatgpt').expect(422)
  await as(anna).post('/imports').field('source', 'elsewhere').attach('file', picture, 'a.zip').expect(422)
  await as(anna).post('/imports').field('source', 'chatgpt').attach('file', Buffer.alloc(0), 'a.zip').expect(422)
  await as(ben).post('/imports').field('source', 'chatgpt').attach('file', picture, 'a.zip').expect(403)
})

test('imports a conversation once when an export contains it twice, and skips the duplicate', async () => {
  const anna = await mira.createUser()
  const many = Array.from({ length: 60 }, (_, index) => chatGptConversation(`twice-${index}`, `Number ${index}`))
  const { body } = await as(anna)
    .post('/imports')
    .field('source', 'chatgpt')
    .attach('file', Buffer.from(JSON.stringify([...many, many[0]])), 'twice.json')
    .expect(202)
  expect(importCounts(await waitForEnd(anna, body.id))).toEqual({ state: 'done', found: 61, imported: 60, skipped: 1 })
})

test('resumes an interrupted import, and doesn’t resume a cancelled one', async () => {
  const anna = await mira.createUser()
  const many = Array.from({ length: 60 }, (_, index) => chatGptConversation(`many-${index}`, `Number ${index}`))
  const { body } = await as(anna)
    .post('/imports')
    .field('source', 'chatgpt')
    .attach('file', Buffer.from(JSON.stringify(many)), 'many.json')
    .expect(202)
  // As after a crash: some conversations exist, and the job runs again.
  const result = await waitForEnd(anna, body.id)
  expect(importCounts(result)).toEqual({ state: 'done', found: 60, imported: 60, skipped: 0 })
  const { prisma } = mira.context.database
  const things = await prisma.importedObject.findMany({ where: { importId: body.id }, take: 25 })
  for (const { sessionId } of things) await as(anna).delete(`/chat/sessions/${sessionId}`).expect(204)
  const { path } = await mira.context.files.put(anna.user.id, Buffer.from(`${JSON.stringify(many)} `))
  await prisma.import.update({ where: { id: body.id }, data: { state: 'running', path, importedCount: 35 } })
  await mira.context.queue.enqueue('import-things', { import_id: body.id })
  expect(importCounts(await waitForEnd(anna, body.id))).toEqual({ state: 'done', found: 60, imported: 60, skipped: 0 })
  await prisma.import.update({ where: { id: body.id }, data: { state: 'queued' } })
  await as(anna).delete(`/imports/${body.id}`).expect(204)
  expect(await waitForEnd(anna, body.id)).toMatchObject({ state: 'cancelled' })
})
