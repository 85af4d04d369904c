import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createSafeFetcher } from './safe-fetcher.ts'

const STRANGER = '127.0.0.7'
// a stranger of the public internet, who answers on this machine
vi.mock('./public-address.ts', () => ({ isPublicAddress: (address: string) => address === STRANGER }))

let listed: string
let stranger: string
let listedRequests = 0
const servers: Server[] = []
beforeAll(async () => {
  const listen = async (host: string, server: Server) => {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, host, resolve))
    return `${host}:${(server.address() as AddressInfo).port}`
  }
  const inside = createServer((_request, response) => {
    listedRequests++
    response.setHeader('content-type', 'text/plain').end('of the house')
  })
  listed = await listen('127.0.0.1', inside)
  const outside = createServer((_request, response) => {
    response.writeHead(302, { location: `http://${listed}/` }).end()
  })
  stranger = await listen(STRANGER, outside)
})
afterAll(() => {
  for (const server of servers) server.close()
})

test('a host that is listed is asked by its address, and not where a stranger’s redirect or page leads there', async () => {
  const fetcher = createSafeFetcher({ allowedHosts: [listed], userAgent: 'Mira/1.2.3' })
  const get = (host: string, from?: string) =>
    fetcher.get(`http://${host}/`, { types: ['text/plain'], maxBytes: 1000, timeoutMs: 10_000, from })
  expect(await get(stranger)).toMatchObject({ isOk: false, problem: 'private' })
  expect(await get(listed, `http://${stranger}/`)).toMatchObject({ isOk: false, problem: 'private' })
  expect(listedRequests).toBe(0)
  expect(await get(listed)).toMatchObject({ isOk: true })
  await fetcher.close()
})
