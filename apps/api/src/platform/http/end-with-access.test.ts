import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { listen } from '../../../test/chat-client.ts'
import { type Authenticate, requireAccess } from './access.ts'
import { endWithAccess } from './end-with-access.ts'

test.each([
  ['a token', { authorization: 'Bearer token' }],
  ['a signed address', {}],
])('a download authorised by %s ends soon after that becomes invalid', async (_name, headers) => {
  let isAllowed = true
  const authenticate: Authenticate = async () =>
    isAllowed
      ? ({ user: { role: 'user' }, scopes: null, via: 'session', credentialId: '' } as Awaited<
          ReturnType<Authenticate>
        >)
      : null
  const app = Fastify({ forceCloseConnections: true })
  requireAccess(app, authenticate, (_url, traits) => authenticate('', traits))
  endWithAccess(app, { intervalMs: 20 })
  app.get('/file', { config: { access: 'user', signed: true } }, async () =>
    Readable.from(
      (async function* () {
        for (;;) {
          await sleep(10)
          yield 'more'
        }
      })(),
    ),
  )
  const response = await fetch(`${await listen(app)}/file`, { headers, signal: AbortSignal.timeout(5000) })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  for (let round = 0; round < 20; round++) expect((await reader.read()).done).toBe(false)
  isAllowed = false
  const readToEnd = async () => {
    for (;;) if ((await reader.read()).done) return
  }
  await expect(readToEnd()).rejects.toThrow('terminated')
  await app.close()
})
