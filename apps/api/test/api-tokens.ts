import type { TestAccount, TestApp } from './test-app.ts'

/** Creates an API token of an account, with these scopes. */
export async function createApiToken({ request }: TestApp, account: TestAccount, scopes: string[]): Promise<string> {
  const { body } = await request
    .post('/api/auth/tokens')
    .auth(account.token, { type: 'bearer' })
    .send({ name: 'program', scopes })
    .expect(201)
  return body.token
}
