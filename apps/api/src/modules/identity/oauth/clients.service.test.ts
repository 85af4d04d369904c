import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'
import type { Fetched } from '../../../platform/net/web-fetcher.ts'
import { createClientsService } from './clients.service.ts'
import { createOAuthStore } from './oauth.store.ts'

const ADDRESS = 'https://program.example/client.json'
const document = { client_id: ADDRESS, client_name: 'Editor', redirect_uris: ['http://localhost:1/back'] }

const caller = { userId: '00000000-0000-4000-8000-000000000000' }

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

/** A clients service for which every address has this document. */
function clientsWithDocument(content: object, { url = ADDRESS }: { url?: string } = {}) {
  const requestedUrls: string[] = []
  const clock = { now: Date.now() }
  const clients = createClientsService({
    store: createOAuthStore(mira.context.database),
    now: () => clock.now,
    fetcher: {
      get: async (address): Promise<Fetched> => {
        requestedUrls.push(address)
        const body = Buffer.from(JSON.stringify(content))
        return { isOk: true, body, contentType: 'application/json', charset: null, url }
      },
    },
  })
  return { clients, requestedUrls, clock }
}

test('a program whose id is an address is described by the document there, which is fetched again after an hour', async () => {
  const { clients, requestedUrls, clock } = clientsWithDocument(document)
  await expect(clients.find(ADDRESS, caller)).resolves.toMatchObject({
    name: 'Editor',
    redirectUris: document.redirect_uris,
  })
  await clients.find(ADDRESS, caller)
  expect(requestedUrls).toEqual([ADDRESS])
  clock.now += 61 * 60_000
  await clients.find(ADDRESS, caller)
  expect(requestedUrls).toEqual([ADDRESS, ADDRESS])
})

test.each([
  ['describes another client', { ...document, client_id: 'https://other.example/client.json' }, {}],
  ['came from another address', document, { url: 'https://other.example/client.json' }],
  ['has no name', { ...document, client_name: undefined }, {}],
  ['redirects to a forbidden scheme', { ...document, redirect_uris: ['data:text/html,x'] }, {}],
  ['isn’t an object', [], {}],
])('refuses a document that %s', async (_name, content, options) => {
  const { clients, clock } = clientsWithDocument(content, options)
  clock.now += 24 * 60 * 60_000
  await expect(clients.find(ADDRESS, caller)).rejects.toMatchObject({ status: 400 })
})

test('keeps the newest thousand unapproved programs, and all approved ones', async () => {
  const { prisma } = mira.context.database
  const { clients } = clientsWithDocument(document)
  const rows = Array.from({ length: 1_002 }, (_, n) => ({
    clientId: `flood-${n}`,
    name: 'Flood',
    redirectUris: document.redirect_uris,
    createdAt: new Date(Date.now() - 1e6 + n),
    lastConsentAt: n === 0 ? new Date() : null,
  }))
  await prisma.oauthClient.deleteMany()
  await prisma.oauthClient.createMany({ data: rows })
  const { client_id: newest } = await clients.register({ redirect_uris: document.redirect_uris })
  const clientRows = await prisma.oauthClient.findMany({ select: { clientId: true }, orderBy: { createdAt: 'asc' } })
  expect(clientRows.map(({ clientId }) => clientId)).toEqual([
    'flood-0',
    ...Array.from({ length: 999 }, (_, n) => `flood-${n + 3}`),
    newest,
  ])
})

test('sends no request for a client id that isn’t a valid document address', async () => {
  const { clients, requestedUrls } = clientsWithDocument(document)
  for (const id of [
    'http://program.example/c',
    'https://program.example/',
    'https://u:p@program.example/c',
    'ftp://x/c',
  ]) {
    await expect(clients.find(id, caller)).rejects.toMatchObject({ code: 'invalid_client' })
  }
  expect(requestedUrls).toEqual([])
})

test('removes invisible characters from a name', async () => {
  const { clients } = clientsWithDocument(document)
  const { client_name: name } = await clients.register({
    client_name: 'Note\u202Ebook\u0000 ',
    redirect_uris: ['https://program.example/back'],
  })
  expect(name).toBe('Notebook')
})
