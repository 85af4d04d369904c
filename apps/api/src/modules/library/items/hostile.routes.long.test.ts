import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MediaItemJson, ProcessingStepName } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HostileFile, hostileFiles } from '../../../../test/hostile-files.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

/** Time limit for all files; generous because the machine may be busy. */
const TIME_LIMIT_MS = 480_000

interface Outcome {
  /** Response status of the upload. */
  status: number
  detail: string
  item: MediaItemJson | null
}

let mira: TestApp
let ana: TestAccount
let files: HostileFile[]
const outcomes = new Map<string, Outcome>()
const requestsOfFiles: string[] = []
const trap = createServer((request, response) => {
  requestsOfFiles.push(request.url ?? '')
  response.end()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  files = await hostileFiles(`http://127.0.0.1:${(trap.address() as AddressInfo).port}`)
  mira = await startTestApp({ isStarted: true })
  ana = await mira.createUser({ can_upload: true })
  for (const file of files) outcomes.set(file.title, await upload(file))
  const endsAt = Date.now() + TIME_LIMIT_MS
  while (Date.now() < endsAt && (await countUnfinished()) > 0) {
    await sleep(150)
    await mira.request.get('/api/health').expect(200)
  }
  for (const outcome of outcomes.values()) {
    if (outcome.item !== null) outcome.item = (await get(`/api/media/${outcome.item.id}`)).body
  }
}, TIME_LIMIT_MS + 120_000)
afterAll(async () => {
  await mira?.close()
  trap.close()
})

const get = (path: string) => mira.request.get(path).auth(ana.token, { type: 'bearer' }).expect(200)

async function countUnfinished(): Promise<number> {
  const { rows } = await mira.context.database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM media_items WHERE processing_status IN ('pending', 'processing')`,
  )
  return rows[0]?.count ?? 0
}

/** Sends the name unchanged: a form library would sanitise it. */
async function upload({ name, content }: HostileFile): Promise<Outcome> {
  const boundary = 'hostile-3f9c'
  const field = `--${boundary}\r\nContent-Disposition: form-data; name="wait"\r\n\r\n0\r\n`
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const { status, body } = await mira.request
    .post('/api/media/upload')
    .auth(ana.token, { type: 'bearer' })
    .set('content-type', `multipart/form-data; boundary=${boundary}`)
    .send(Buffer.concat([Buffer.from(field + head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]))
  return { status, detail: body.detail ?? '', item: status < 300 ? body : null }
}

/** Error messages shown to the user. */
const reasonsOf = ({ error, processing_steps: steps }: MediaItemJson) =>
  [error, ...steps.filter(({ status }) => status === 'failed').map((step) => step.error)].filter(
    (reason) => reason !== null,
  )

const stepOf = (item: MediaItemJson | null, stepName: ProcessingStepName) =>
  item?.processing_steps.find(({ name }) => name === stepName)

describe('hostile files', () => {
  test('each end in the expected state', () => {
    const actual = files.map(({ title, outcomes: ends }) => {
      const { status, item, detail } = outcomes.get(title) as Outcome
      const end = item === null ? `refused with ${status}` : item.processing_status
      const isOneOf = new Set<string>([ends].flat()).has(end)
      const reasons = item === null ? [detail] : reasonsOf(item)
      return isOneOf ? { title, end: true } : { title, end, reasons }
    })
    expect(actual).toEqual(files.map(({ title }) => ({ title, end: true })))
  })

  test('cause no unexpected errors, and no error message reveals internal paths', () => {
    const problems = files.flatMap(({ title }) => {
      const { item, detail } = outcomes.get(title) as Outcome
      return (item === null ? [detail] : reasonsOf(item)).map((reason) => ({ title, reason }))
    })
    expect(problems.length).toBeGreaterThan(10)
    const bad = problems.filter(
      ({ reason }) =>
        reason.length < 12 || /unexpected|\/tmp\/|\/dev\/shm\/|Error:|\bat \w+ \(|undefined|0x[0-9a-f]{4}/.test(reason),
    )
    expect(bad).toEqual([])
  })

  test('fail with the expected reason', () => {
    const mismatches = files.flatMap(({ title, errorPattern }) => {
      if (errorPattern === undefined) return []
      const { item, detail } = outcomes.get(title) as Outcome
      const reasons = item === null ? [detail] : reasonsOf(item)
      return reasons.some((reason) => errorPattern.test(reason)) ? [] : [{ title, errorPattern, reasons }]
    })
    expect(mismatches).toEqual([])
  })

  test('have a thumbnail when processed, unless they have nothing to show', () => {
    const withoutThumbnail = files.flatMap(({ title, hasThumbnail }) => {
      const { item } = outcomes.get(title) as Outcome
      return hasThumbnail && item?.processing_status === 'completed' && item.thumbnail === null ? [title] : []
    })
    expect(withoutThumbnail).toEqual([])
  })

  test('are stored under sanitised names', () => {
    for (const { title, storedName } of files) {
      if (storedName === undefined) continue
      expect(outcomes.get(title)?.item?.metadata.original_filename, title).toMatch(storedName)
    }
  })

  test('cause no requests to the addresses in them', () => {
    expect(requestsOfFiles).toEqual([])
  })

  test('give a reason for skipped steps', () => {
    expect(stepOf(outcomes.get('a silent video')?.item ?? null, 'transcribe')).toMatchObject({
      status: 'skipped',
      error: 'This video has no sound.',
    })
    expect(outcomes.get('a PDF with hundreds of pages')?.item?.metadata.pages).toBeGreaterThanOrEqual(300)
  })

  test('leave the server idle and able to process another upload', async () => {
    expect(await countUnfinished()).toBe(0)
    const { body } = await mira.request.get('/api/health').expect(200)
    expect(body.status).toBe('ok')
    const content = Buffer.from('The boat leaves at nine.')
    expect((await upload({ title: 'after', name: 'after.txt', content, outcomes: 'completed' })).status).toBe(202)
    await expect.poll(countUnfinished, { timeout: 30_000 }).toBe(0)
    const { body: results } = await get('/api/media/search?query=boat')
    expect(results.results[0].original_filename).toBe('after.txt')
  })
})
