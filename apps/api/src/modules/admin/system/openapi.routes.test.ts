import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertChatSession } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import type { OpenApiDocument } from '../../../platform/http/openapi.ts'

const root = join(import.meta.dirname, '../../../../../..')

let mira: TestApp
let account: TestAccount
let document: OpenApiDocument

beforeAll(async () => {
  mira = await startTestApp()
  account = await mira.createUser({ can_chat: true })
  document = (await mira.request.get('/api/openapi.json').expect(200)).body
})
afterAll(async () => {
  await mira.close()
})

describe('the document', () => {
  test('has every route of the API, each with a summary, a tag, its access and its responses', () => {
    const routes = mira.app.declaredRoutes
      .filter(({ method, url }) => url.startsWith('/api/') && !['HEAD', 'OPTIONS'].includes(method))
      .map(({ method, url, access }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')} ${access}`)
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => `${method.toUpperCase()} ${path} ${operation['x-access']}`),
    )
    expect(documented.sort()).toEqual(routes.sort())
    expect(documented.length).toBeGreaterThan(20)

    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { summary, tags, responses }] of Object.entries(item)) {
        const name = `${method} ${path}`
        expect(summary, name).toMatch(/^[A-Z].*[^.]$/)
        expect(tags, name).toHaveLength(1)
        const successes = Object.entries(
          responses as Record<string, { description: string; content?: unknown }>,
        ).filter(([status]) => status.startsWith('2'))
        expect(successes.length, `${name} declares no success`).toBeGreaterThan(0)
        for (const [status, { description, content }] of successes) {
          // declared as empty: 204, and 201 where a protocol requires it
          const isEmpty = /^20[14]$/.test(status) && description === 'Done, without content'
          if (!isEmpty) expect(content, `${name} ${status} has no content`).toBeDefined()
        }
      }
    }
  })

  test('is encoded once for all requests', async () => {
    const stringify = vi.spyOn(JSON, 'stringify')
    try {
      await mira.app.inject('/api/openapi.json')
      expect(stringify.mock.calls.filter(([value]) => value?.openapi !== undefined)).toEqual([])
    } finally {
      stringify.mockRestore()
    }
  })

  test('has unique operation ids', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('passes Spectral’s rules', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mira-openapi-'))
    try {
      const file = join(folder, 'openapi.json')
      await writeFile(file, JSON.stringify(document))
      const spectral = join(root, 'node_modules/@stoplight/spectral-cli/dist/index.js')
      const args = [
        spectral,
        'lint',
        file,
        '--ruleset',
        join(root, '.spectral.yaml'),
        '--fail-severity=hint',
        '--quiet',
      ]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect(`${stdout}${stderr}`.trim()).toBe('')
      expect(status).toBe(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('responses match the document', () => {
  interface Options {
    as?: 'admin' | 'user' | 'nobody'
    query?: string
    body?: object
  }
  type Call = [method: 'get' | 'post' | 'patch' | 'delete', path: string, status: number, options?: Options]

  // {id} is an existing conversation
  const calls: Call[] = [
    ['get', '/api/health', 200, { as: 'nobody' }],
    ['get', '/api/config', 200, { as: 'nobody' }],
    ['get', '/api/openapi.json', 200, { as: 'nobody' }],
    ['get', '/api/auth/me', 200],
    ['get', '/api/auth/me', 401, { as: 'nobody' }],
    ['get', '/api/auth/sessions', 200],
    ['get', '/api/auth/tokens', 200],
    ['post', '/api/auth/tokens', 201, { body: { name: 'contract' } }],
    ['post', '/api/auth/tokens', 422, { body: { name: '' } }],
    ['get', '/api/admin/users', 200, { as: 'admin' }],
    ['get', '/api/admin/users', 403],
    ['post', '/api/admin/users', 422, { as: 'admin', body: {} }],
    ['get', '/api/chat/sessions', 200],
    ['get', '/api/chat/sessions', 422, { query: 'sort=colour' }],
    ['get', '/api/chat/sessions/{id}', 200],
    ['get', '/api/chat/sessions/{id}', 404, { as: 'admin' }],
    ['patch', '/api/chat/sessions/{id}', 200, { body: { session_name: 'Renamed' } }],
    ['get', '/api/chat/stats', 200],
    ['post', '/api/chat/message', 422, { body: {} }],
    [
      'post',
      '/api/chat/sessions/delete',
      200,
      { as: 'admin', body: { ids: ['00000000-0000-4000-8000-000000000000'] } },
    ],
    ['get', '/api/dashboard/overview', 200],
    ['get', '/api/dashboard/activity', 200],
    ['get', '/api/dashboard/activity', 422, { query: 'limit=none' }],
    ['get', '/api/dashboard/health', 200],
    ['get', '/api/media/stats', 200],
  ]

  let ajv: Ajv2020
  let sessionId: string
  beforeAll(async () => {
    ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'document')
    sessionId = (await insertChatSession(mira.context.database, account.user.id)).session.id
  })

  const pointer = (...parts: string[]) =>
    parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')

  /** JSON pointer of a response in the document, following the reference to a shared error. */
  function responsePointer(method: string, path: string, status: number): string {
    const responses = document.paths[path]?.[method]?.responses as Record<string, { $ref?: string }> | undefined
    const response = responses?.[status]
    if (response === undefined) throw new Error(`${method} ${path} doesn’t declare status ${status}`)
    return `document${response.$ref ?? `#/${pointer('paths', path, method, 'responses', String(status))}`}`
  }

  /** Validates a value against a schema of the document. */
  function errorsOf(schema: string, value: unknown) {
    const validate = ajv.getSchema(schema)
    if (validate === undefined) throw new Error(`the document has no ${schema}`)
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, keyword }) => ({ instancePath, keyword }))
  }

  test.each(calls)('%s %s → %i', async (method, path, status, { as = 'user', query = '', body } = {}) => {
    const call = mira.request[method](`${path.replace('{id}', sessionId)}?${query}`)
    if (as !== 'nobody') void call.auth(as === 'admin' ? mira.admin.token : account.token, { type: 'bearer' })
    const response = await call.send(body)
    expect(response.status).toBe(status)
    const schema = `${responsePointer(method, path, status)}/content/application~1json/schema`
    expect(errorsOf(schema, response.body), JSON.stringify(response.body)).toEqual([])
  })

  test('a wrong response is detected', async () => {
    const schema = `${responsePointer('get', '/api/auth/me', 200)}/content/application~1json/schema`
    const { body: right } = await mira.request.get('/api/auth/me').auth(account.token, { type: 'bearer' }).expect(200)
    expect(errorsOf(schema, right)).toEqual([])
    const { email: _, ...withoutEmail } = right
    expect(errorsOf(schema, { ...withoutEmail, role: 'king', created_at: 'yesterday' })).toEqual([
      { instancePath: '', keyword: 'required' },
      { instancePath: '/role', keyword: 'enum' },
      { instancePath: '/created_at', keyword: 'format' },
    ])
  })

  test('every event of a streamed answer', async () => {
    const response = await mira.request
      .post('/api/chat/message')
      .auth(account.token, { type: 'bearer' })
      .send({ content: 'What is a lighthouse for?', has_images: false, images: [] })
      .expect(200)
    const events = [...response.text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['session', 'chunk', 'complete']))
    const schema = `${responsePointer('post', '/api/chat/message', 200)}/content/text~1event-stream/schema/x-event-data`
    for (const event of events) expect(errorsOf(schema, event), JSON.stringify(event)).toEqual([])
  })
})
