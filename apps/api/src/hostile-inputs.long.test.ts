import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MEBIBYTE } from '@mira/shared/constants/limits'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTable } from '../test/access-table.ts'
import { damagedFiles } from '../test/broken-files.ts'
import { type DocumentRoute, documentRoutes, programRoutes } from '../test/document-routes.ts'
import { insertOneOfEach } from '../test/everything-of.ts'
import { type HostileRequest, hostileRequestsOf } from '../test/hostile-inputs.ts'
import { plainCall } from '../test/plain-call.ts'
import { startTestApp, type TestAccount, type TestApp } from '../test/test-app.ts'
import type { OpenApiDocument } from './platform/http/openapi.ts'

/** Total number of inputs across all routes. */
const INPUTS = process.env.TEST_LONG ? 10_000 : 400
const everyFlag = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }
/**
 * Routes with a low rate limit, which would respond 429 before they read the input, or that end the session or delete
 * the user's data. Other tests cover their inputs.
 */
const excludedRoutes = [
  'POST /api/auth/login',
  'POST /api/auth/logout',
  'POST /api/auth/password',
  'DELETE /api/me/data',
]

let mira: TestApp
let address: string
let admin: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
  address = await mira.app.listen({ port: 0, host: '127.0.0.1' })
  admin = await mira.createUser({ role: 'admin', ...everyFlag })
})
afterAll(() => mira.close())

const send = ({ method, url, headers, body }: HostileRequest) =>
  plainCall(
    address,
    { method, path: url, headers: { authorization: `Bearer ${admin.token}`, ...headers }, body },
    (status) => status >= 500,
  )

/** Engines that may be missing in this test, by error code; the code is legitimate when at least one of them isn't ready. */
const enginesByCode: Record<string, string[]> = {
  no_transcription: ['transcription'],
  no_speech: ['speech'],
  no_image_edit_engine: ['image_edit'],
  vision_unavailable: ['vision', 'chat'],
}
/** Errors of the web sources that agents read. */
const webErrors = ['source_unreachable', 'agent_unavailable']

/**
 * True for a legitimate 5xx response: 503 with a message about an engine that's really missing, or about the web. No
 * connected engine can fail (502) and the disk has space (507), so these and all others would be wrong here.
 */
async function isLegitimate(status: number, text: string): Promise<boolean> {
  const { detail, code, error } = readJson(text)
  const [message, errorCode] = [detail ?? error?.message ?? '', code ?? error?.code ?? '']
  if (status !== 503 || message === '') return false
  if (webErrors.includes(errorCode)) return true
  const { checks } = (await mira.request.get('/api/health')).body
  return enginesByCode[errorCode]?.some((engine) => checks.models[engine].state !== 'ok') ?? false
}

/** Parsed error body; empty when it isn't JSON, which no working server sends. */
function readJson(text: string): { detail?: string; code?: string; error?: { message?: string; code?: string } } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const heapBytes = () => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test(`${INPUTS} hostile requests over all routes cause no unexpected 5xx response and no memory leak`, {
  timeout: process.env.TEST_LONG ? 1_800_000 : 240_000,
}, async () => {
  const document = (await mira.request.get('/api/openapi.json')).body as OpenApiDocument
  const programs = programRoutes(mira.app)
  const routes = [...documentRoutes(document), ...programs.routes].filter(({ name }) => !excludedRoutes.includes(name))
  const documentOf = (route: DocumentRoute) => (programs.routes.includes(route) ? programs.document : document)
  const inputsPerRoute = Math.ceil(INPUTS / routes.length)
  const files = await damagedFiles()
  let ownIds = await insertOneOfEach(mira.context.database, admin.user.id)
  const requestsOf = (route: DocumentRoute) => {
    const ownPaths = (accessTable[route.name]?.foreign?.(ownIds, ownIds) ?? []).flatMap(({ path }) => path ?? [])
    return hostileRequestsOf(route, documentOf(route), { files, ownPaths })
  }
  // The first requests trigger lazy loading.
  for (const route of routes) await Promise.all(fc.sample(requestsOf(route), { numRuns: 1, seed: 1 }).map(send))
  // A write may delete the resources that it names: the next route gets new ones.
  let isComplete = false
  const before = heapBytes()
  const failed: Record<string, unknown> = {}
  let requestCount = 0
  for (const route of routes) {
    if (!isComplete) ownIds = await insertOneOfEach(mira.context.database, admin.user.id)
    isComplete = true
    for (const request of fc.sample(requestsOf(route), { numRuns: inputsPerRoute, seed: 20_261_122 })) {
      const { status, text } = await send(request)
      requestCount++
      // A refused request changes nothing.
      if (status < 400 && !route.name.startsWith('GET ')) isComplete = false
      if (status >= 500 && !(await isLegitimate(status, text))) {
        failed[`${route.name} ${request.url.slice(0, 300)}`] = { ...request, status, text }
      }
    }
  }
  expect(failed).toEqual({})
  // Crashes don't count as legitimate errors.
  expect(await isLegitimate(500, '{"detail":"Internal server error","code":"internal_error"}')).toBe(false)
  expect(await isLegitimate(503, '{"detail":"Try again.","code":"database_unavailable"}')).toBe(false)
  expect(await isLegitimate(503, '<html>')).toBe(false)
  expect(requestCount).toBeGreaterThanOrEqual(INPUTS)
  expect(await (await fetch(`${address}/api/health`)).json()).toMatchObject({ status: 'ok' })
  expect((heapBytes() - before) / MEBIBYTE).toBeLessThan(64)
})
