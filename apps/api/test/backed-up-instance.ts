import { join } from 'node:path'
import { restoreArchive } from '../src/modules/admin/backups/restore-archive.ts'
import { newId } from '../src/platform/database/new-id.ts'
import { openTestDatabase, silentLog } from './database-template.ts'
import {
  insertAgentRun,
  insertApiToken,
  insertChatSession,
  insertEffectRecipe,
  insertMoment,
  insertPartialUpload,
  insertReminder,
} from './factories.ts'
import { plainImage } from './pictures.ts'
import { startTestApp } from './test-app.ts'

/** A line separator, an emoji, quotes, a backslash and both kinds of new lines. */
const AWKWARD = 'a\u2028b \u{1F9ED} "quoted" \\ back\r\nnew\ttab \u00e9'

/** An instance with values that are hard to copy, and an archive made while rows were being written. */
export type BackedUpInstance = Awaited<ReturnType<typeof startBackedUpInstance>>

export async function startBackedUpInstance() {
  const testDatabase = await openTestDatabase()
  const mira = await startTestApp({
    isStarted: true,
    database: testDatabase,
    config: { databaseUrl: testDatabase.databaseUrl },
  })
  const anna = await mira.createUser({ can_upload: true, can_use_agents: true })
  const { database } = mira.context
  const { pool, prisma } = database
  const upload = async (content: Buffer, name: string) => {
    const request = mira.request.post('/api/media/upload').auth(anna.token, { type: 'bearer' })
    // OCR takes long.
    const fields = { wait: '60', extract_text: String(name.endsWith('.txt')), generate_caption: 'false' }
    return (await request.field(fields).attach('file', content, name).expect(201)).body as { id: string }
  }
  const item = await upload(Buffer.from('A letter about zanzibarine.\n'), 'letter.txt')
  await upload(await plainImage({ width: 91 }), 'a picture.jpg')
  const moment = await insertMoment(
    database,
    { id: item.id, userId: anna.user.id },
    { body: 'Häuser am Meer', position: 9, language: 'german' },
  )
  const { question } = await insertChatSession(database, anna.user.id, AWKWARD)
  await prisma.chatMessage.update({
    where: { id: question.id },
    data: { content: AWKWARD, sources: [{ n: 1, title: AWKWARD, score: 0.1 }] },
  })
  await insertEffectRecipe(database, anna.user.id)
  await insertApiToken(database, anna.user.id)
  await insertAgentRun(database, anna.user.id)
  await insertReminder(database, anna.user.id)
  await insertPartialUpload(database, anna.user.id)
  const profile = await prisma.embeddingProfile.create({
    data: { kind: 'text', engine: 'remote', model: 'm', dimensions: 4 },
  })
  await pool.query(
    `INSERT INTO moment_embeddings (moment_id, profile_id, user_id, embedding) VALUES ($1, $2, $3, $4::vector)`,
    [moment.id, profile.id, anna.user.id, '[0.1,-3.4028235e+38,1.1754944e-38,0.33333334]'],
  )
  await pool.query(
    `INSERT INTO system_samples (server_id, at, requests, request_errors, memory_bytes, cpu_share, event_loop_delay_p99_ms)
     VALUES ($1, now(), 1, 0, 9007199254740993, 0.1 + 0.2::float8, 'NaN')`,
    [newId()],
  )
  await pool.query(
    `INSERT INTO activity_hours (hour, user_id, kind, duration_ms_sum, duration_classes)
     VALUES ('2026-01-01T10:00:00.123Z', $1, 'chat', 9223372036854775807, '{1,2,-3}')`,
    [anna.user.id],
  )

  const stop = new AbortController()
  const write = async () => {
    for (let n = 0; !stop.signal.aborted; n++) await insertChatSession(database, anna.user.id, `written ${n}`)
  }
  const writing = write()
  const { id, fileName } = await prisma.backup.create({
    data: { id: newId(), fileName: 'mira-backup-20260101-000000.zip', state: 'waiting' },
  })
  await mira.context.backups.run(id, new AbortController().signal)
  stop.abort()
  await writing
  const archive = join(mira.context.config.dataDir, 'backups', fileName)
  return { mira, anna, item, archive }
}

/** The tables without what a restore changes by design: signed URLs expire, administrators are notified. */
export const withoutRestoreMarks = ({ users = [], notifications = [], ...tables }: Record<string, string[]>) => ({
  ...tables,
  users: users.map((row) => ({ ...JSON.parse(row), link_epoch: null })),
  notifications: notifications.filter((row) => !row.includes('"instance_restored"')),
})

/** Restores an archive into a folder, and into the database of `databaseUrl` if given. */
export function restoreInto(
  archive: string,
  dataDir: string,
  { databaseUrl, isReplacing = false }: { databaseUrl?: string; isReplacing?: boolean } = {},
) {
  return restoreArchive({ archive, isReplacing, log: silentLog, config: { dataDir, databaseUrl } })
}
