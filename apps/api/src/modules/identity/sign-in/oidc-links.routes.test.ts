import type { OidcStart } from '@mira/shared'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startOidcApp } from '../../../../test/oidc-app.ts'
import { TEST_PASSWORD } from '../../../../test/test-app.ts'

const { mira, provider, finish, signIn, meOf, close } = await startOidcApp()
afterAll(close)

let identityCount = 0
beforeEach(() => {
  identityCount += 1
  const email = `person-${identityCount}@example.org`
  provider.identity = { sub: `sub-${identityCount}`, email, email_verified: true }
})

const asUser = (token: string, path: string, body: object = {}) =>
  mira.request.post(`/api/auth${path}`).auth(token, { type: 'bearer' }).send(body)
const linksOf = async (token: string) =>
  (await mira.request.get('/api/auth/access').auth(token, { type: 'bearer' }).expect(200)).body.items.filter(
    ({ kind }: { kind: string }) => kind === 'oidc',
  )
const removeLink = async (token: string) => {
  await asUser(token, '/access/end', { items: await linksOf(token) }).expect(204)
}
const link = async (token: string) => finish((await asUser(token, '/oidc/link').expect(200)).body)
const withLink = async () => {
  const account = await mira.createUser()
  provider.identity.email = account.user.email
  await signIn()
  return account
}

describe('an account whose link was removed', () => {
  test('isn’t linked again by signing in, not even with another identity of the same address', async () => {
    const { token, user } = await withLink()
    await removeLink(token)
    expect(await linksOf(token)).toEqual([])
    const same = await signIn()
    provider.identity.sub = `${provider.identity.sub}-other`
    const other = await signIn()
    expect([same.status, same.body.code]).toEqual([403, 'oidc_link_removed'])
    expect([other.status, other.body.code]).toEqual([403, 'oidc_link_removed'])
    const { body } = await mira.request
      .get(`/api/admin/users/${user.id}/sign-in`)
      .auth(mira.admin.token, { type: 'bearer' })
    expect(body).toMatchObject({ oidc: false })
  })

  test('isn’t linked again after the removed identity created another account', async () => {
    const { token, user } = await withLink()
    await removeLink(token)
    provider.identity.email = `elsewhere-${identityCount}@example.org`
    expect((await signIn()).status).toBe(200)
    provider.identity = { sub: `sub-${identityCount}-other`, email: user.email, email_verified: true }
    expect((await signIn()).body.code).toBe('oidc_link_removed')
  })

  test('isn’t linked again after an administrator’s reset', async () => {
    const { user } = await withLink()
    await mira.request
      .put(`/api/admin/users/${user.id}`)
      .auth(mira.admin.token, { type: 'bearer' })
      .send({ ...user, password: 'quiet-lantern-orchard-52', current_password: TEST_PASSWORD })
      .expect(200)
    expect((await signIn()).body.code).toBe('oidc_link_removed')
  })

  test('is linked again, also to another identity, when its user links it', async () => {
    const { token, user } = await withLink()
    await removeLink(token)
    Object.assign(provider.identity, { sub: `${provider.identity.sub}-other`, email: 'elsewhere@example.org' })
    const linked = await link(token)
    expect((await meOf(linked.body.access_token)).id).toBe(user.id)
    // the browser has a new session, so its former one ends
    await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' }).expect(401)
    expect(await linksOf(linked.body.access_token)).toHaveLength(1)
    expect((await meOf((await signIn()).body.access_token)).id).toBe(user.id)
  })

  test('can’t be linked to an identity of another account, nor after its session has ended', async () => {
    await withLink()
    const { token } = await mira.createUser()
    const taken = await link(token)
    expect([taken.status, taken.body.code]).toEqual([409, 'oidc_taken'])
    const start = (await asUser(token, '/oidc/link').expect(200)).body
    await asUser(token, '/logout').expect(204)
    const late = await finish(start)
    expect([late.status, late.body.code]).toEqual([403, 'sign_in_expired'])
  })

  test('keeps its session when linking fails', async () => {
    const { token } = await mira.createUser()
    const start = async (): Promise<OidcStart> => (await asUser(token, '/oidc/link').expect(200)).body
    const fail = async (ticket: string, query: string) => {
      const { status, body } = await asUser(token, '/oidc/finish', { ticket, query })
      return [status, body.code]
    }
    expect(await fail((await start()).ticket, '?error=access_denied')).toEqual([403, 'oidc_refused'])
    const { url, ticket } = await start()
    const { search } = await provider.visit(url)
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60_000)
    const late = await fail(ticket, search).finally(() => now.mockRestore())
    expect(late).toEqual([403, 'sign_in_expired'])
    await meOf(token)
  })

  test('is linked again by signing in when there is no other way to sign in', async () => {
    const { access_token: token } = (await signIn()).body
    await removeLink(token)
    expect((await meOf((await signIn()).body.access_token)).id).toBe((await meOf(token)).id)
  })
})
