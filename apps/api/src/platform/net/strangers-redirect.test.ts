import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createSafeFetcher } from './safe-fetcher.ts'

const PUBLIC_ADDRESS = '127.0.0.7'
// An address of this machine that counts as public.
vi.mock('./public-address.ts', () => ({ isPublicAddress: (address: string) => address === PUBLIC_ADDRESS }))

let listed: string
let publicHost: string
let listedRequests = 0
const servers: Server[] = []
beforeAll(async () => {
  const listen = async (host: string, server: Server) => {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, host, resolve))
    return `${host}:${(server.address() as AddressInfo).port}`
  }
  const listedServer = createServer((_request, response) => {
    listedRequests++
    response.setHeader('content-type', 'text/plain').end('of the house')
  })
  listed = await listen('127.0.0.1', listedServer)
  const publicServer = createServer((_request, response) => {
    response.writeHead(302, { location: `http://${listed}/` }).end()
  })
  publicHost = await listen(PUBLIC_ADDRESS, publicServer)
})
afterAll(() => {
  for (const server of servers) server.close()
})

test('a listed host is fetched by its address, but not through a redirect or page of an unlisted host', async () => {
  const fetcher = createSafeFetcher({ allowedHosts: [listed], userAgent: 'Mira/1.2.3' })
  const get = (host: string, from?: string) =>
    fetcher.get(`http://${host}/`, { types: ['text/plain'], maxBytes: 1000, timeoutMs: 10_000, from })
  expect(await get(publicHost)).toMatchObject({ isOk: false, problem: 'private' })
  expect(await get(listed, `http://${publicHost}/`)).toMatchObject({ isOk: false, problem: 'private' })
  expect(listedRequests).toBe(0)
  expect(await get(listed)).toMatchObject({ isOk: true })
  await fetcher.close()
})
