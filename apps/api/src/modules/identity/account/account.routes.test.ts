import { createHash, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ExportTicketJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { mockBadSector } from '../../../../test/bad-sector.ts'
import { readBinary } from '../../../../test/binary.ts'
import { silentLog } from '../../../../test/database-template.ts'
import {
  insertAgentRun,
  insertApiToken,
  insertChatSession,
  insertEffectRecipe,
  insertMediaItem,
  insertMoment,
  insertReminder,
} from '../../../../test/factories.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { unzip } from '../../../../test/unzip.ts'
import { createAccountStore } from './account.store.ts'
import { createExportService } from './export.service.ts'
import { exportedTables, otherOwnedTables } from './owned-tables.ts'

let mira: TestApp
let anna: TestAccount
let ben: TestAccount

/** A word in all of Anna's content, and nowhere else. */
const MARK = 'zanzibarine'

beforeAll(async () => {
  mira = await startTestApp({ isStarted: true })
  anna = await mira.createUser({ can_upload: true, can_use_agents: true })
  ben = await mira.createUser({ can_upload: true })
  await fill(anna, MARK)
  await fill(ben, 'something else')
})
afterAll(() => mira.close())

/** Adds content of every kind to an account. */
async function fill({ user, token }: TestAccount, word: string) {
  const { database } = mira.context
  const { question } = await insertChatSession(database, user.id, `About ${word}`)
  await database.prisma.chatMessage.update({ where: { id: question.id }, data: { content: `What is ${word}?` } })
  const upload = mira.request.post('/api/media/upload').auth(token, { type: 'bearer' }).field('wait', '60')
  const { body: text } = await upload
    .attach('file', Buffer.from(`A letter about ${word}.\n`), `${word}.txt`)
    .expect(201)
  const picture = mira.request.post('/api/media/upload').auth(token, { type: 'bearer' }).field('wait', '60')
  await picture.attach('file', await plainImage({ width: word.length * 7 }), 'a picture.jpg').expect(201)
  await insertMoment(database, { id: text.id, userId: user.id }, { body: word, position: 9 })
  await insertEffectRecipe(database, user.id)
  await insertApiToken(database, user.id)
  await insertAgentRun(database, user.id, `remind me of ${word}`)
  await insertReminder(database, user.id)
  const authorised = (request: ReturnType<typeof mira.request.post>) => request.auth(token, { type: 'bearer' })
  await authorised(mira.request.post('/api/me/facts'))
    .send({ text: `I like ${word}.` })
    .expect(201)
  await authorised(mira.request.post('/api/prompts'))
    .send({ title: word, command: 'letter', text: `About ${word}` })
    .expect(201)
  await authorised(mira.request.post('/api/personas')).send({ name: word }).expect(201)
  await authorised(mira.request.post('/api/projects')).send({ name: word }).expect(201)
  await authorised(mira.request.patch('/api/me/instructions'))
    .send({ about_me: `I live near ${word}.` })
    .expect(200)
  const search = mira.request.get('/api/media/search').query({ query: word }).auth(token, { type: 'bearer' })
  await search.expect(200)
}

const load = (path: string, token?: string) => {
  const request = mira.request.get(path).buffer(true).parse(readBinary)
  return token === undefined ? request : request.auth(token, { type: 'bearer' })
}

test('every table with user data is exported or listed as an exception', async () => {
  const { rows } = await mira.context.database.pool.query<{ name: string }>(
    `SELECT DISTINCT t.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND (c.column_name IN ('user_id', 'session_id', 'message_id', 'media_item_id'))`,
  )
  const tables = new Set([...exportedTables.map(({ name }) => name), ...Object.keys(otherOwnedTables)])
  expect(rows.map(({ name }) => name).filter((name) => !tables.has(name))).toEqual([])
  expect(rows.length).toBeGreaterThan(15)
})

test('an export contains rows, conversations and originals with their hashes, but no secrets and nothing of other users', async () => {
  const { body, headers } = await load('/api/me/export', anna.token).expect(200)
  expect(headers['content-type']).toBe('application/zip')
  expect(headers['content-disposition']).toContain(`mira-export-${anna.user.username}`)
  const files = await unzip(body as Buffer)
  const manifest = JSON.parse(files.get('manifest.json')!.toString())
  expect(manifest).toMatchObject({ format: 'mira.export', username: anna.user.username, damaged_or_missing: [] })
  const listed = manifest.files as { name: string; size_bytes: number; sha256: string }[]
  expect(listed.map(({ name }) => name).sort()).toEqual(
    [...files.keys()].filter((name) => name !== 'manifest.json').sort(),
  )
  for (const { name, size_bytes, sha256 } of listed) {
    const content = files.get(name)!
    expect({ name, size: content.length, hash: createHash('sha256').update(content).digest('hex') }).toEqual({
      name,
      size: size_bytes,
      hash: sha256,
    })
  }
  const rows = (table: string) => JSON.parse(files.get(`data/${table}.json`)!.toString()) as Record<string, unknown>[]
  expect(rows('users')).toMatchObject([{ id: anna.user.id, username: anna.user.username }])
  expect(rows('chat_messages').map(({ content }) => content)).toContain(`What is ${MARK}?`)
  expect(rows('media_items')).toMatchObject([{ steps: expect.any(Array) }, { steps: expect.any(Array) }])
  expect(manifest.rows).toMatchObject({ media_items: 2, chat_sessions: 1, reminders: 1, agent_runs: 1 })
  const names = [...files.keys()]
  const conversation = names.find((name) => name.startsWith('conversations/'))!
  expect(files.get(conversation)!.toString()).toContain(`What is ${MARK}?`)
  const original = names.find((name) => name.endsWith(`/${MARK}.txt`))!
  expect(files.get(original)!.toString()).toBe(`A letter about ${MARK}.\n`)
  const allText = [...files.values()].map((content) => content.toString('latin1')).join('\n')
  for (const secret of ['$2b$', 'password_hash', 'secret_hash', ben.user.id, 'something else', `${anna.user.id}/`]) {
    expect(allText).not.toContain(secret)
  }
  const notifications = await mira.context.database.prisma.notification.findMany({
    where: { userId: anna.user.id, kind: { not: 'access_added' } },
  })
  expect(notifications).toMatchObject([{ kind: 'export_done', params: { problems: 0 } }])
})

test('conversations in an export are named after the day on which they began in the user’s time zone', async () => {
  const { user, token } = await mira.createUser()
  const { session } = await insertChatSession(mira.context.database, user.id, 'Tea')
  const createdAt = new Date('2026-05-31T20:00:00Z')
  await mira.context.database.prisma.chatSession.update({ where: { id: session.id }, data: { createdAt } })
  const { body } = await load('/api/me/export', token).set('X-Time-Zone', 'Pacific/Auckland').expect(200)
  const names = [...(await unzip(body as Buffer)).keys()]
  expect(names).toContainEqual(expect.stringMatching(/^conversations\/2026-06-01 Tea /))
})

test('a browser downloads an export from a signed address that is refused once altered or expired', async () => {
  const { body } = await mira.request.post('/api/me/export').auth(anna.token, { type: 'bearer' }).expect(200)
  const { url } = body as ExportTicketJson
  const files = await unzip((await load(url).expect(200)).body as Buffer)
  expect(files.has('manifest.json')).toBe(true)
  await load(url.replace(/signature=t\d+/, 'signature=t9999999999')).expect(401)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 60_000 })
  await load(url).expect(401)
  vi.useRealTimers()
})

test('a user can start three exports per minute, by token or signed address', async () => {
  const { token } = await mira.createUser()
  const requestExport = () => mira.request.get('/api/me/export').auth(token, { type: 'bearer' })
  await requestExport().expect(200)
  await requestExport().expect(200)
  const { body } = await mira.request.post('/api/me/export').auth(token, { type: 'bearer' }).expect(200)
  await load(body.url).expect(200)
  const refused = await requestExport().expect(429)
  expect(refused.body.code).toBe('too_many_requests')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
})

test('a damaged or missing file doesn’t prevent the export of the rest', async () => {
  const carla = await mira.createUser({ can_upload: true })
  await fill(carla, 'carla')
  const { files, database } = mira.context
  const { path } = await database.prisma.mediaItem.findFirstOrThrow({ where: { userId: carla.user.id } })
  const exported = async () => {
    const archive = await unzip((await load('/api/me/export', carla.token).expect(200)).body as Buffer)
    return { names: [...archive.keys()], manifest: JSON.parse(archive.get('manifest.json')!.toString()) }
  }
  const spy = mockBadSector(files, path)
  expect((await exported()).manifest.damaged_or_missing).toMatchObject([
    { reason: 'The file was damaged after it was stored: its hash differs.' },
  ])
  spy.mockRestore()
  await files.delete(path)
  const { names, manifest } = await exported()
  expect(manifest.damaged_or_missing).toMatchObject([{ reason: 'The file no longer exists.' }])
  expect(names.filter((name) => name.startsWith('files/'))).toHaveLength(1)
})

test('an export larger than one batch is complete, even when the notification fails', async () => {
  const { user } = await mira.createUser()
  const { database, files, signedPaths } = mira.context
  const ids: string[] = []
  const caption = 'A long page. '.repeat(10_000)
  while (ids.length < 45) ids.push((await insertMediaItem(database, user.id, { caption })).id)
  const notify = vi.fn().mockRejectedValue(new Error('The database is away.'))
  const exports = createExportService({
    account: createAccountStore(database),
    files,
    notifications: { notify },
    log: silentLog,
    chatExports: { open: vi.fn() },
    signedPaths,
    events: { publish: () => {} },
  })
  const reader = { ...user, name: user.username, language: 'en', timeZone: 'UTC', mayKnowSetup: false }
  const archive = await unzip(await buffer(exports.open(reader, undefined)))
  const rows = JSON.parse(archive.get('data/media_items.json')!.toString()) as { id: string; caption: string }[]
  expect(rows.map(({ id }) => id).sort()).toEqual(ids.sort())
  expect(rows.every((row) => row.caption === caption)).toBe(true)
  expect(JSON.parse(archive.get('manifest.json')!.toString()).rows.media_items).toBe(45)
  expect(notify).toHaveBeenCalledOnce()
})

test('a cancelled export is reported, so that the page doesn’t show it as running', async () => {
  const { user } = await mira.createUser()
  const { database, files, signedPaths } = mira.context
  const publish = vi.fn()
  const exports = createExportService({
    account: createAccountStore(database),
    files,
    notifications: { notify: async () => {} },
    log: silentLog,
    chatExports: { open: vi.fn() },
    signedPaths,
    events: { publish },
  })
  const reader = { ...user, name: user.username, language: 'en', timeZone: 'UTC', mayKnowSetup: false }
  const exportId = randomUUID()
  const cancelled = exports.open(reader, exportId)
  cancelled.destroy()
  await vi.waitFor(() => expect(publish.mock.lastCall?.[1]).toMatchObject({ export_id: exportId, is_cancelled: true }))
  await buffer(exports.open(reader, randomUUID()))
  expect(publish.mock.lastCall?.[1]).toMatchObject({ is_finished: true })
})

test('deleting all data requires the password, returns a receipt, and leaves nothing in tables or on disk', async () => {
  const remove = (password: string | undefined) =>
    mira.request.delete('/api/me/data').auth(anna.token, { type: 'bearer' }).send({ password })
  await remove('not the password').expect(403)
  await remove(undefined).expect(422)
  expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: anna.user.id } })).toBe(2)

  const { body } = await remove(TEST_PASSWORD).expect(200)
  expect(body.deleted).toMatchObject({ chat_sessions: 1, messages: 2, media_items: 2, effect_recipes: 1, reminders: 1 })
  expect(body.deleted.files).toBeGreaterThanOrEqual(2)
  expect(body.deleted.bytes).toBeGreaterThan(0)

  const { pool } = mira.context.database
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'pgboss')`,
  )
  // work lists, which jobs empty later
  const workTables = ['public.loose_files', 'public.activity_marks']
  const { rows: countRows } = await pool.query<{ count: number; bytes: string }>(
    'SELECT count, bytes FROM person_counts WHERE user_id = $1',
    [anna.user.id],
  )
  for (const one of countRows) expect(one).toEqual({ count: 0, bytes: '0' })
  const remainingRows: Record<string, number> = {}
  for (const { name } of tables) {
    // finished jobs keep the id of the account, which still exists, so that users take turns
    const byAccount = name.startsWith('pgboss.') ? 'false' : `t::text LIKE '%' || $2 || '%'`
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${name} t WHERE t::text ILIKE '%' || $1 || '%' OR $2 = '' OR ${byAccount}`,
      [MARK, anna.user.id],
    )
    if (rows[0]!.n > 0 && !workTables.includes(name)) remainingRows[name] = rows[0]!.n
  }
  // the account, its session and token, its zero counts, the receipt, and the audit entries of sign-in and deletion
  expect(remainingRows).toEqual({
    'public.audit_entries': 2,
    'public.person_counts': 3,
    'public.users': 1,
    'public.auth_sessions': 1,
    'public.api_tokens': 1,
    'public.activities': 1,
  })

  const folder = join(mira.context.config.dataDir, 'files')
  const filesLeft = () =>
    readdirSync(folder, { recursive: true }).filter(
      (name) => String(name).includes(`${anna.user.id}/`) && /[0-9a-f]{64}$/.test(String(name)),
    )
  await vi.waitFor(() => expect(filesLeft()).toEqual([]), { timeout: 30_000, interval: 100 })
  await vi.waitFor(async () => expect(await mira.context.database.prisma.unreferencedFile.count()).toBe(0), {
    timeout: 30_000,
  })

  const again = await remove(TEST_PASSWORD).expect(200)
  expect(again.body.deleted).toMatchObject({ chat_sessions: 0, media_items: 0, files: 0, bytes: 0 })
  expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: ben.user.id } })).toBe(2)
  await mira.request.get('/api/auth/me').auth(anna.token, { type: 'bearer' }).expect(200)
})
