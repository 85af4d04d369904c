import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import type { OpenApiDocument } from '../../http/openapi.ts'

const root = join(import.meta.dirname, '../../../../..')

let mira: TestApp
let person: TestAccount
let document: OpenApiDocument

beforeAll(async () => {
  mira = await startTestApp()
  person = await mira.createUser({ can_chat: true })
  document = (await mira.request.get('/api/openapi.json').expect(200)).body
})
afterAll(async () => {
  await mira.close()
})

describe('the document', () => {
  test('has every route of the API, each with a summary, a tag, its access and what it answers', () => {
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
        const successes = Object.entries(responses as Record<string, { content?: unknown }>).filter(([status]) =>
          status.startsWith('2'),
        )
        expect(successes.length, `${name} declares no success`).toBeGreaterThan(0)
        for (const [status, { content }] of successes) {
          if (status !== '204') expect(content, `${name} ${status} has no content`).toBeDefined()
        }
      }
    }
  })

  test('has operations with names of their own', () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('passes the rules of spectral', async () => {
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

describe('what is answered is what the document says', () => {
  type Call = [
    method: 'get' | 'post' | 'patch',
    path: string,
    status: number,
    options?: { as?: 'admin' | 'person' | 'nobody'; query?: string; body?: object },
  ]

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
    ['get', '/api/dashboard/overview', 200],
    ['get', '/api/dashboard/activity', 200],
    ['get', '/api/dashboard/activity', 422, { query: 'limit=none' }],
    ['get', '/api/dashboard/health', 200],
    ['get', '/api/media/stats', 200],
  ]

  let ajv: Ajv2020
  beforeAll(() => {
    ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'document')
  })

  /** Where in the document the schema of an answer stands, through the reference of a shared error. */
  function schemaOf(method: string, path: string, status: number): string {
    const pointer = (...parts: string[]) =>
      parts.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const responses = document.paths[path]?.[method]?.responses as Record<string, { $ref?: string }> | undefined
    const response = responses?.[status]
    if (response === undefined) throw new Error(`${method} ${path} does not say that it may answer ${status}`)
    const place = response.$ref ?? `#/${pointer('paths', path, method, 'responses', String(status))}`
    return `document${place}/content/application~1json/schema`
  }

  test.each(calls)('%s %s → %i', async (method, path, status, { as = 'person', query = '', body } = {}) => {
    const call = mira.request[method](`${path}?${query}`)
    if (as !== 'nobody') void call.auth(as === 'admin' ? mira.admin.token : person.token, { type: 'bearer' })
    const answer = await call.send(body)
    expect(answer.status).toBe(status)
    const validate = ajv.getSchema(schemaOf(method, path, status))
    expect(validate, 'the document has a schema').toBeDefined()
    validate?.(answer.body)
    expect(validate?.errors ?? [], JSON.stringify(answer.body)).toEqual([])
  })
})
