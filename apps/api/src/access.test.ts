import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { can, type TokenScope, tokenScopes } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessTable } from '../test/access-table.ts'
import { type DocumentRoute, documentRoutes, programRoutes } from '../test/document-routes.ts'
import { insertOneOfEach } from '../test/everything-of.ts'
import {
  insertAuthSessions,
  insertChatSession,
  insertPersona,
  insertProject,
  insertSearch,
  insertSignedInUsers,
  insertUser,
  type UserTraits,
} from '../test/factories.ts'
import { plainCall } from '../test/plain-call.ts'
import { startTestApp, type TestApp } from '../test/test-app.ts'

const everyFlag = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }
const noFlag = { can_chat: false, can_upload: false, can_use_voice: false, can_use_agents: false }

/** Users with different permissions: each role, with and without flags, and with one flag at a time. */
const callers: Record<string, UserTraits & { role: 'admin' | 'user' | 'guest' } & typeof noFlag> = {
  'an administrator without flags': { role: 'admin', ...noFlag },
  'a user with every flag': { role: 'user', ...everyFlag },
  'a user without flags': { role: 'user', ...noFlag },
  'a guest who may chat': { role: 'guest', ...noFlag, can_chat: true },
  'a guest who may upload': { role: 'guest', ...noFlag, can_upload: true },
  'a guest who may use voice': { role: 'guest', ...noFlag, can_use_voice: true },
  'a guest who may use agents': { role: 'guest', ...noFlag, can_use_agents: true },
}

let mira: TestApp
let address: string
beforeAll(async () => {
  // Requests come from a public address, since local ones may be allowed more.
  mira = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
  address = await mira.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => mira.close())

/** Sort key: `GET /api/models` as `/api/models GET`. */
const pathFirst = (name: string) => name.split(' ').reverse().join(' ')

const routesWithTable = () => Object.entries(accessTable).map(([route, line]) => ({ route, ...line }))

/** Calls a route and disconnects once the status is known, since streams never end. */
async function call(
  route: string,
  {
    token,
    path,
    body,
    type = 'application/json',
  }: { token?: string; path?: string; body?: string | Uint8Array; type?: string } = {},
) {
  const [method = '', pattern = ''] = route.split(' ')
  const url = path ?? pattern.replace(/:\w+/g, () => randomUUID()).replace('*', randomUUID())
  const headers = {
    'x-forwarded-for': '203.0.113.1',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': type }),
  }
  const isNoStream = (_status: number, contentType: string) => !contentType.startsWith('text/event-stream')
  return plainCall(address, { method, path: url, headers, body }, isNoStream)
}

/** Returns a source of session tokens: a new one for each call, because some calls end it. Stores 100 at a time. */
function sessionTokensOf(userId: string): () => Promise<string> {
  const unusedSessions: { id: string; userId: string }[] = []
  return async () => {
    if (unusedSessions.length === 0)
      unusedSessions.push(...(await insertAuthSessions(mira.context.database, userId, 100)))
    return tokenOf(unusedSessions.pop()!)
  }
}

const tokenOf = ({ id, userId }: { id: string; userId: string }) => mira.app.jwt.sign({}, { sub: userId, jti: id })

test('the table lists exactly the declared routes, each with its access', () => {
  const declared = mira.app.declaredRoutes
    .filter(({ method }) => method !== 'HEAD')
    .map(({ method, url, access }) => [`${method} ${url}`, access])
  expect(Object.fromEntries(declared)).toEqual(
    Object.fromEntries(routesWithTable().map(({ route, access }) => [route, access])),
  )
})

test('every route with a path parameter defines what happens with another user’s ids', () => {
  const undefinedRoutes = routesWithTable().filter(({ route, foreign }) => route.includes(':') && foreign === undefined)
  expect(undefinedRoutes.map(({ route }) => route)).toEqual([])
})

test('routes that aren’t public return 401 without a token', async () => {
  const statuses: Record<string, number> = {}
  const protectedRoutes = routesWithTable().filter(({ access }) => access !== 'public')
  for (const { route } of protectedRoutes) statuses[route] = (await call(route)).status
  expect(statuses).toEqual(Object.fromEntries(protectedRoutes.map(({ route }) => [route, 401])))
})

describe.each(Object.entries(callers))('%s', (_name, traits) => {
  test('can call the routes that their permissions allow, and no others', async () => {
    const actual: Record<string, string> = {}
    const expected: Record<string, string> = {}
    const routes = routesWithTable()
    // A new user for each call, because some calls end more than a session.
    const sessions = await insertSignedInUsers(mira.context.database, traits, routes.length)
    for (const [index, { route, access }] of routes.entries()) {
      const { status } = await call(route, { token: tokenOf(sessions[index]!) })
      actual[route] = status === 403 ? 'refused' : status === 401 ? 'unknown' : 'allowed'
      expected[route] = can(traits, access) ? 'allowed' : 'refused'
    }
    // No body is sent, so 403 never means a wrong password.
    expect(actual).toEqual(expected)
  })
})

test('another user’s resources look as if they didn’t exist, and stay unchanged', async () => {
  const { database } = mira.context
  const { prisma } = database
  const owner = await insertUser(database, everyFlag)
  const foreign = await insertOneOfEach(database, owner.id)
  const readRowsOfOwner = () =>
    Promise.all([
      prisma.authSession.findMany({ where: { userId: owner.id } }),
      prisma.apiToken.findMany({ where: { userId: owner.id } }),
      prisma.passkey.findMany({ where: { userId: owner.id } }),
      prisma.hook.findMany({ where: { userId: owner.id } }),
      prisma.mcpServer.findMany({ where: { userId: owner.id } }),
      prisma.import.findMany({ where: { userId: owner.id } }),
      prisma.share.findMany({ where: { userId: owner.id } }),
      prisma.chatSession.findMany({ where: { userId: owner.id } }),
      prisma.chatMessage.findMany({ where: { session: { userId: owner.id } }, orderBy: { id: 'asc' } }),
      prisma.chatMessageImage.findMany({ where: { message: { session: { userId: owner.id } } } }),
      prisma.mediaItem.findMany({ where: { userId: owner.id } }),
      prisma.partialUpload.findMany({ where: { userId: owner.id } }),
      prisma.moment.findMany({ where: { userId: owner.id } }),
      prisma.effectImage.findMany({ where: { userId: owner.id } }),
      prisma.effectRecipe.findMany({ where: { userId: owner.id } }),
      prisma.reminder.findMany({ where: { userId: owner.id } }),
      prisma.fact.findMany({ where: { userId: owner.id } }),
      prisma.agentRun.findMany({ where: { userId: owner.id } }),
      prisma.activity.findMany({ where: { userId: owner.id } }),
    ])
  const before = await readRowsOfOwner()

  for (const role of ['user', 'admin'] as const) {
    const stranger = await insertUser(database, { role, ...everyFlag })
    const mine = {
      chatSession: (await insertChatSession(database, stranger.id)).session.id,
      search: (await insertSearch(database, stranger.id)).id,
      persona: (await insertPersona(database, stranger.id)).id,
      project: (await insertProject(database, stranger.id)).id,
    }
    const actual: string[] = []
    const expected: string[] = []
    const apiToken = await newApiToken(stranger.id, tokenScopes)
    const newToken = sessionTokensOf(stranger.id)
    for (const { route, foreign: requests } of routesWithTable()) {
      for (const { path, body, status = 404, response: expectedBody } of requests?.(foreign, mine) ?? []) {
        const requestOptions = { path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
        const byToken = await call(route, { token: apiToken, ...requestOptions })
        const response = await call(route, { token: await newToken(), ...requestOptions })
        // An API token learns no more than a session: it gets the same status, or 403.
        expect([`${route} ${path}`, [403, response.status].includes(byToken.status)]).toEqual([
          `${route} ${path}`,
          true,
        ])
        const name = `${role}: ${route} ${path ?? ''} ${JSON.stringify(body) ?? ''}`
        actual.push(`${name} → ${response.status} ${expectedBody === undefined ? '' : response.text}`)
        expected.push(`${name} → ${status} ${expectedBody === undefined ? '' : JSON.stringify(expectedBody)}`)
      }
    }
    expect(actual).toEqual(expected)
  }
  expect(await readRowsOfOwner()).toEqual(before)
})

/** Creates a personal API token with these scopes. */
async function newApiToken(userId: string, scopes: readonly TokenScope[]): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const secretHash = createHash('sha256').update(secret).digest('hex')
  const row = { userId, name: 'a script', scopes: [...scopes], secretHash }
  const { id } = await mira.context.database.prisma.apiToken.create({ data: row })
  return `mira_${id}_${secret}`
}

describe('every route of the OpenAPI document, and of the protocols for other programs', () => {
  let routes: DocumentRoute[]
  beforeAll(async () => {
    const document = (await mira.request.get('/api/openapi.json')).body
    routes = [...documentRoutes(document), ...programRoutes(mira.app).routes]
  })
  /** Compares the actual and the expected responses of all non-public routes to a credential. */
  const compare = async (
    credential: () => Promise<string> | string,
    expectedAccess: (route: DocumentRoute) => 'allowed' | 'refused' | 'unknown',
  ) => {
    const actual: Record<string, string> = {}
    const expected: Record<string, string> = {}
    for (const route of routes) {
      if (route.access === 'public') continue
      const { status } = await call(route.name, { token: await credential() })
      actual[route.name] = status === 403 ? 'refused' : status === 401 ? 'unknown' : 'allowed'
      expected[route.name] = expectedAccess(route)
    }
    expect(actual).toEqual(expected)
  }

  test('is in the table, and vice versa', () => {
    const inTable = routesWithTable().filter(({ route }) => /^GET \/(api|v1)\//.test(route) || !route.includes('*'))
    const documented = new Map(routes.map(({ name, access }) => [name, access]))
    // The last one is a page of the web app, which no program calls.
    const missing = inTable.filter(
      ({ route, access }) => documented.get(route) !== access && !/OPTIONS|\/api\/docs|^POST \/share$/.test(route),
    )
    expect(missing.map(({ route }) => route)).toEqual([])
    expect([...documented.keys()].filter((name) => accessTable[name] === undefined)).toEqual([])
  })

  test('names the scope that API tokens need; changing accounts, backups or settings takes a session', () => {
    const withoutScope = routes.filter(
      ({ access, scope }) => access !== 'public' && scope !== null && !tokenScopes.includes(scope),
    )
    expect(withoutScope).toEqual([])
    // Routes that create, change or delete accounts, sessions, tokens, backups and settings.
    const closed = /^(POST|PUT|PATCH|DELETE) \/api\/(auth\/|admin\/(users|backups|settings)|me\/data)/
    const open = routes.filter(({ name, access, scope }) => access !== 'public' && closed.test(name) && scope !== null)
    expect(open.map(({ name }) => name)).toEqual([])
  })

  test('is listed in docs/scopes.md under the scope that it needs', async () => {
    const file = new URL('../../../docs/scopes.md', import.meta.url)
    const page = await readFile(file, 'utf8')
    const sections = [...tokenScopes, null].map((wantedScope) => {
      const names = routes
        .filter(({ access, scope }) => access !== 'public' && scope === wantedScope)
        .map(({ name }) => name)
      const byPath = names.sort((one, other) => (pathFirst(one) < pathFirst(other) ? -1 : 1))
      return `## ${wantedScope ?? 'none'}\n\n${byPath.map((name) => `- \`${name}\`\n`).join('')}`
    })
    const expected = `${page.slice(0, page.indexOf('## '))}${sections.join('\n')}`
    if (process.env.UPDATE_SCOPES) await writeFile(file, expected)
    expect(page, 'update it with UPDATE_SCOPES=1 npx vitest run apps/api/src/access.test.ts').toBe(expected)
  })

  test.each(tokenScopes)('accepts a token with only the scope %s exactly when that scope is enough', async (scope) => {
    const { id } = await insertUser(mira.context.database, { role: 'admin', ...everyFlag })
    const token = await newApiToken(id, [scope])
    await compare(
      () => token,
      (route) => (route.scope === scope ? 'allowed' : 'refused'),
    )
  })

  test('refuses a token when its owner lacks the permission', async () => {
    const { id } = await insertUser(mira.context.database, { role: 'guest', ...noFlag })
    const token = await newApiToken(id, tokenScopes)
    const guest = { role: 'guest' as const, ...noFlag }
    await compare(
      () => token,
      (route) => (can(guest, route.access) && route.scope !== null ? 'allowed' : 'refused'),
    )
  })

  test('returns 401 for the credentials of a disabled account, an ended session and a revoked token', async () => {
    const { prisma } = mira.context.database
    const disabled = await insertUser(mira.context.database, { role: 'admin', ...everyFlag, is_active: false })
    const user = await insertUser(mira.context.database, { role: 'admin', ...everyFlag })
    const signedOut = await sessionTokensOf(user.id)()
    await prisma.authSession.deleteMany({ where: { userId: user.id } })
    const revoked = await newApiToken(user.id, tokenScopes)
    await prisma.apiToken.deleteMany({ where: { userId: user.id } })
    const credentials = [
      await sessionTokensOf(disabled.id)(),
      await newApiToken(disabled.id, tokenScopes),
      signedOut,
      revoked,
    ]
    for (const credential of credentials)
      await compare(
        () => credential,
        () => 'unknown',
      )
  })
})

describe('no request causes a 5xx response', () => {
  const bodies: Record<string, { body: string; type?: string }> = {
    'an empty object': { body: '{}' },
    'an empty list': { body: '[]' },
    null: { body: 'null' },
    'a string of 1 MB': { body: JSON.stringify('x'.repeat(1_000_000)) },
    'a string of 1 MB in a field': { body: JSON.stringify({ username: 'x'.repeat(1_000_000) }) },
    'a body of 2 MB': { body: JSON.stringify('x'.repeat(2_000_000)) },
    'broken JSON': { body: '{"a":' },
    'a body that isn’t JSON': { body: '\0\0\0' },
    'NUL characters in several fields': {
      body: '{"content":"\\u0000","username":"\\u0000","session_name":"\\u0000","name":"\\u0000","password":"\\u0000"}',
    },
    'numbers instead of strings': {
      body: '{"content":1,"username":2,"session_name":3,"name":4,"ids":5,"session_id":6,"images":7,"rating":8}',
    },
    'keys that could pollute prototypes': { body: '{"__proto__":{"role":"admin"},"constructor":{"prototype":{}}}' },
    'deep nesting': { body: '['.repeat(5000) + ']'.repeat(5000) },
    'a form': { body: 'username=a&username=b&x[y]=1&%ff=%00', type: 'application/x-www-form-urlencoded' },
    'a broken form': { body: '--x\r\nContent-Disposition: form-data; name="', type: 'multipart/form-data; boundary=x' },
    'an unknown content type': { body: '<a/>', type: 'application/xml' },
  }

  test.each(Object.entries(bodies))('with %s', async (_name, { body: text, type }) => {
    const body = Buffer.from(text)
    const newToken = sessionTokensOf((await insertUser(mira.context.database, { role: 'admin', ...everyFlag })).id)
    const failed: Record<string, unknown> = {}
    for (const { route } of routesWithTable()) {
      if (route.startsWith('GET')) continue
      const response = await call(route, { token: await newToken(), body, ...(type ? { type } : {}) })
      if (response.status >= 500) failed[route] = response
    }
    expect(failed).toEqual({})
  })

  test('with malformed queries and ids', async () => {
    const newToken = sessionTokensOf((await insertUser(mira.context.database, { role: 'admin', ...everyFlag })).id)
    const queries = [
      'limit=-1',
      'limit=9e99',
      'limit=x&limit=y',
      'cursor=%00&before=%00&query=%00&status=%00',
      `cursor=${'x'.repeat(600)}&before=${'x'.repeat(600)}&query=${'x'.repeat(600)}`,
      'query=%25_%5C&sort=x&order=y&agent=%27%3B--',
      'cursor[a]=1&__proto__=1',
    ]
    const ids = ['x', '%00', '..%2f..%2fetc%2fpasswd', '%ff', `${'9'.repeat(90)}`, "'%20OR%201=1"]
    const failed: Record<string, unknown> = {}
    for (const { route } of routesWithTable()) {
      const pattern = route.split(' ')[1] ?? ''
      const paths = [
        ...(route.startsWith('GET')
          ? queries.map((query) => `${pattern.replace(/:\w+|\*/g, randomUUID())}?${query}`)
          : []),
        ...(/:|\*/.test(pattern) ? ids.map((id) => pattern.replace(/:\w+|\*/g, id)) : []),
      ]
      for (const path of paths) {
        const response = await call(route, { token: await newToken(), path })
        if (response.status >= 500) failed[`${route.split(' ')[0]} ${path}`] = response
      }
    }
    expect(failed).toEqual({})
  })

  test('and the server stays healthy', async () => {
    const { status, text } = await call('GET /api/health')
    expect([status, JSON.parse(text).status]).toEqual([200, 'ok'])
  })
})
