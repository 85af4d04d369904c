import type { MediaItemJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startOpenAiServer } from '../../../../test/openai-server.ts'
import { noisyPicture } from '../../../../test/pictures.ts'
import { countStatements } from '../../../../test/statement-counter.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

vi.setConfig({ testTimeout: 60_000 })

let mira: TestApp
let ana: TestAccount
const start = async (environment: Record<string, string> = {}) => {
  mira = await startTestApp({ isStarted: true, environment })
  ana = await mira.createUser({ can_upload: true })
}
beforeAll(() => start())
afterAll(() => mira.close())

async function upload(content: Buffer, name: string, fields: Record<string, string>): Promise<MediaItemJson> {
  const posted = mira.request.post('/api/media/upload').auth(ana.token, { type: 'bearer' })
  for (const [field, value] of Object.entries({ wait: '0', ...fields })) posted.field(field, value)
  return (await posted.attach('file', content, name).expect(202)).body
}

const jobOf = async (itemId: string) => {
  const { rows } = await mira.context.database.pool.query<{ id: string; state: string }>(
    `SELECT /* the test asks */ id, state FROM pgboss.job WHERE group_id = $1`,
    [itemId],
  )
  return rows
}

/** Statements that an upload and its whole processing send to the database. */
async function costOf(content: Buffer, name: string, fields: Record<string, string> = {}) {
  const counter = countStatements()
  try {
    const item = await upload(content, name, fields)
    await vi.waitFor(async () => expect(await jobOf(item.id)).toMatchObject([{ state: 'completed' }]), {
      timeout: 50_000,
    })
    const [job] = await jobOf(item.id)
    // how often it reports, shows its place in the queue and tells other servers depends on how long it takes
    const ofOthers = /the test asks|SET heartbeat_on|AS placed WHERE|UPDATE media_steps SET progress = |pg_notify/
    const sha = item.metadata.sha256
    return counter.about([item.id, job?.id ?? '', sha], (text) => ofOthers.test(text))
  } finally {
    counter.stop()
  }
}

const textOf = (number: number) => Buffer.from(`The keeper of the lighthouse wrote of ${number} ships each night.`)

test('a small text is one job, and few statements', async () => {
  expect(await costOf(textOf(1), 'notes.txt')).toEqual({ statements: 17, transactions: 2 })
})

test('a photo that is not read is one job, and few statements', async () => {
  const photo = await noisyPicture({ width: 640, height: 480 })
  const fields = { generate_caption: 'false', extract_text: 'false' }
  expect(await costOf(photo, 'photo.jpg', fields)).toEqual({ statements: 16, transactions: 2 })
})

test('a small text that is embedded takes a statement for what lacks vectors, and one for its end', async () => {
  await mira.close()
  const models = await startOpenAiServer()
  try {
    await start({ OPENAI_BASE_URL: models.baseUrl, EMBEDDING_MODEL: 'test-embedding' })
    await costOf(textOf(2), 'first.txt')
    // one more stores the vectors by the ids of passages
    expect(await costOf(textOf(3), 'notes.txt')).toEqual({ statements: 19, transactions: 2 })
  } finally {
    await models.close()
  }
})
