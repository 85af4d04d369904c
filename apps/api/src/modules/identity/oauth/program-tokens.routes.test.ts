import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { challenge, type OAuthCalls, oauthCallsOf, REDIRECT_URI } from '../../../../test/oauth-calls.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let account: TestAccount
let url: string
let oauth: OAuthCalls
beforeAll(async () => {
  // so that each program can use its own address
  mira = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
  url = await listen(mira.app)
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true, can_use_agents: true })
  oauth = oauthCallsOf({ mira, url, account })
})
afterAll(() => mira.close())

describe('a code', () => {
  test('is refused with a wrong verifier, redirect address, program, resource or grant type', async () => {
    const { exchange } = await oauth.authorizeProgram()
    for (const [changed, error] of [
      [{ code_verifier: randomBytes(32).toString('base64url') }, 'invalid_grant'],
      [{ code_verifier: challenge }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:4567/other' }, 'invalid_grant'],
      [{ client_id: await oauth.register() }, 'invalid_grant'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ grant_type: 'constructor' }, 'unsupported_grant_type'],
    ] as const) {
      const { status, body } = await exchange(changed)
      expect([status, body.error]).toEqual([400, error])
    }
    expect((await exchange()).status).toBe(200)
  })

  test('works once; a second use revokes the tokens of the first', async () => {
    const { exchange, refresh } = await oauth.authorizeProgram()
    const { body } = await exchange()
    expect(await oauth.statusAt('/mcp', body.access_token)).toBe(200)
    expect((await exchange()).body.error).toBe('invalid_grant')
    expect(await oauth.statusAt('/mcp', body.access_token)).toBe(401)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('becomes invalid with the session that consented, while tokens already issued stay valid', async () => {
    const [ended, used] = [await oauth.authorizeProgram(), await oauth.authorizeProgram()]
    const { body } = await used.exchange()
    await mira.request.post('/api/auth/logout').auth(account.token, { type: 'bearer' }).expect(204)
    expect((await ended.exchange()).body.error).toBe('invalid_grant')
    expect(await oauth.statusAt('/mcp', body.access_token)).toBe(200)
  })

  test('expires after a minute, and is refused then', async () => {
    const { exchange } = await oauth.authorizeProgram()
    const [grant] = await mira.context.database.prisma.oauthGrant.findMany({ where: { userId: account.user.id } })
    const lifetimeMs = (grant?.codeExpiresAt.getTime() ?? 0) - (grant?.createdAt.getTime() ?? 0)
    // two clocks: the expiry is the server's, the creation the database's
    expect(lifetimeMs / 60_000).toBeCloseTo(1, 1)
    await mira.context.database.pool.query('UPDATE oauth_grants SET code_expires_at = now() WHERE user_id = $1', [
      account.user.id,
    ])
    expect((await exchange()).body.error).toBe('invalid_grant')
  })
})

describe('tokens of a program', () => {
  test('give access to /mcp only', async () => {
    const { exchange } = await oauth.authorizeProgram({ scope: 'read chat upload agents' })
    const { body } = await exchange()
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read chat upload agents' })
    const statuses: Record<string, number> = {}
    for (const path of ['/mcp', '/api/auth/me', '/api/media/library', '/v1/models', '/api/auth/tokens']) {
      statuses[path] = await oauth.statusAt(path, body.access_token)
    }
    const none = { '/api/auth/me': 401, '/api/media/library': 401, '/v1/models': 401, '/api/auth/tokens': 401 }
    expect(statuses).toEqual({ '/mcp': 200, ...none })
    expect(await oauth.statusAt('/mcp', body.refresh_token)).toBe(401)
  })

  test('for another resource give no access here', async () => {
    const { exchange, refresh } = await oauth.authorizeProgram()
    const { body } = await exchange()
    await mira.context.database.pool.query(
      `UPDATE oauth_grants SET resource = 'https://other.example/mcp' WHERE user_id = $1`,
      [account.user.id],
    )
    expect(await oauth.statusAt('/mcp', body.access_token)).toBe(401)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('are replaced at each refresh; reusing an old refresh token revokes all of them', async () => {
    const { exchange, refresh } = await oauth.authorizeProgram()
    const first = (await exchange()).body
    expect((await refresh(first.refresh_token, { client_id: await oauth.register() })).body.error).toBe('invalid_grant')
    const second = (await refresh(first.refresh_token)).body
    expect(await oauth.statusAt('/mcp', second.access_token)).toBe(200)
    await mira.context.database.pool.query(
      `UPDATE oauth_tokens SET used_at = used_at - interval '31 seconds' WHERE used_at IS NOT NULL`,
    )
    expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect(await oauth.statusAt('/mcp', second.access_token)).toBe(401)
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('work for each of a program’s windows that refresh at once', async () => {
    const { exchange, refresh } = await oauth.authorizeProgram()
    const { body } = await exchange()
    const responses = await Promise.all([1, 2, 3].map(() => refresh(body.refresh_token)))
    for (const { body } of responses) {
      expect(await oauth.statusAt('/mcp', body.access_token)).toBe(200)
      expect((await refresh(body.refresh_token)).status).toBe(200)
    }
  })

  test('are all revoked when another program presents a refresh token that was just used', async () => {
    const { exchange, refresh } = await oauth.authorizeProgram()
    const { body } = await exchange()
    const next = (await refresh(body.refresh_token)).body
    const other = await refresh(body.refresh_token, { client_id: await oauth.register() })
    expect(other.body.error).toBe('invalid_grant')
    expect(await oauth.statusAt('/mcp', next.access_token)).toBe(401)
  })

  test('end when the program revokes them', async () => {
    const { exchange, clientId } = await oauth.authorizeProgram()
    const { body } = await exchange()
    expect((await oauth.post('/oauth/revoke', { token: body.refresh_token, client_id: 'somebody-else' })).status).toBe(
      200,
    )
    expect(await oauth.statusAt('/mcp', body.access_token)).toBe(200)
    expect((await oauth.post('/oauth/revoke', { token: body.refresh_token, client_id: clientId })).status).toBe(200)
    expect(await oauth.statusAt('/mcp', body.access_token)).toBe(401)
    expect((await oauth.post('/oauth/revoke', { token: 'nonsense', client_id: clientId })).status).toBe(200)
  })

  test('are refused to an unknown program with invalid_client, so that it registers again', async () => {
    const { exchange, refresh } = await oauth.authorizeProgram()
    const { body } = await exchange()
    const stranger = { client_id: randomUUID() }
    expect(await refresh(body.refresh_token, stranger)).toMatchObject({
      status: 400,
      body: { error: 'invalid_client' },
    })
    expect((await exchange(stranger)).body.error).toBe('invalid_client')
    const nameless = await oauth.post('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token,
    })
    expect(nameless.body).toEqual({ error: 'invalid_request', error_description: 'client_id is missing.' })
    expect((await refresh(body.refresh_token)).status).toBe(200)
  })

  test('are listed as a program, and end when the user removes it or is disabled', async () => {
    const { exchange } = await oauth.authorizeProgram()
    const { body } = await exchange()
    await oauth.statusAt('/mcp', body.access_token)
    const list = () => mira.request.get('/api/me/programs').auth(account.token, { type: 'bearer' }).expect(200)
    const [program] = (await list()).body.programs
    expect(program).toMatchObject({ name: 'Notebook', redirect_uri: REDIRECT_URI, scopes: ['read', 'chat'] })
    const stranger = await mira.createUser()
    await mira.request.delete(`/api/me/programs/${program.id}`).auth(stranger.token, { type: 'bearer' }).expect(404)
    await mira.request.delete(`/api/me/programs/${program.id}`).auth(account.token, { type: 'bearer' }).expect(204)
    expect((await list()).body.programs).toEqual([])
    expect(await oauth.statusAt('/mcp', body.access_token)).toBe(401)

    const again = await oauth.authorizeProgram()
    const later = (await again.exchange()).body
    await mira.context.database.pool.query('UPDATE users SET is_active = false WHERE id = $1', [account.user.id])
    expect(await oauth.statusAt('/mcp', later.access_token)).toBe(401)
    expect((await again.refresh(later.refresh_token)).body.error).toBe('invalid_grant')
  })
})
