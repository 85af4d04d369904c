import type { MediaItemJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startOpenAiServer } from '../../../../test/openai-server.ts'
import { noisyImage } from '../../../../test/pictures.ts'
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
  const uploadRequest = mira.request.post('/api/media/upload').auth(ana.token, { type: 'bearer' })
  for (const [field, value] of Object.entries({ wait: '0', ...fields })) uploadRequest.field(field, value)
  return (await uploadRequest.attach('file', content, name).expect(202)).body
}

const jobOf = async (itemId: string) => {
  const { rows } = await mira.context.database.pool.query<{ id: string; state: string }>(
    `SELECT /* the test asks */ id, state FROM pgboss.job WHERE group_id = $1`,
    [itemId],
  )
  return rows
}

/** Counts the database statements of an upload and its processing. */
async function costOf(content: Buffer, name: string, fields: Record<string, string> = {}) {
  const counter = countStatements()
  try {
    const item = await upload(content, name, fields)
    await vi.waitFor(async () => expect(await jobOf(item.id)).toMatchObject([{ state: 'completed' }]), {
      timeout: 50_000,
    })
    const [job] = await jobOf(item.id)
    // The number of progress reports, queue positions and messages to other servers depends on the duration.
    const excluded = /the test asks|SET heartbeat_on|AS placed WHERE|UPDATE media_steps SET progress = |pg_notify/
    const sha = item.metadata.sha256
    return counter.countMentioning([item.id, job?.id ?? '', sha], (text) => excluded.test(text))
  } finally {
    counter.stop()
  }
}

const textOf = (number: number) => Buffer.from(`The keeper of the lighthouse wrote of ${number} ships each night.`)

test('processes a small text in one job and few statements', async () => {
  expect(await costOf(textOf(1), 'notes.txt')).toEqual({ statements: 17, transactions: 2 })
})

test('processes a photo without OCR in one job and few statements', async () => {
  const photo = await noisyImage({ width: 640, height: 480 })
  const fields = { generate_caption: 'false', extract_text: 'false' }
  expect(await costOf(photo, 'photo.jpg', fields)).toEqual({ statements: 16, transactions: 2 })
})

test('embedding a small text adds a statement that finds missing vectors, and one that ends the step', async () => {
  await mira.close()
  const models = await startOpenAiServer()
  try {
    await start({ OPENAI_BASE_URL: models.baseUrl, EMBEDDING_MODEL: 'test-embedding' })
    await costOf(textOf(2), 'first.txt')
    // Another statement stores the vectors; it isn't counted, since it refers to passage ids.
    expect(await costOf(textOf(3), 'notes.txt')).toEqual({ statements: 19, transactions: 2 })
  } finally {
    await models.close()
  }
})
