import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { saveAccount } from '../account.ts'
import { login } from './login.ts'

vi.mock('../account.ts', () => ({ saveAccount: vi.fn(async () => 'account.json') }))
vi.mock('../output.ts', () => ({ note: vi.fn() }))
vi.mock('node:stream/consumers', () => ({ text: async () => 'a token' }))

let mira: Server
let proxy: Server
const requests: string[] = []
let target = ''
const listen = (server: Server) =>
  new Promise<number>((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)))

beforeAll(async () => {
  mira = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? ''}`)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ assistant_name: 'Mira', username: 'ada' }))
  })
  proxy = createServer((request, response) => {
    requests.push(`proxy ${request.url} ${request.headers.authorization ?? ''}`)
    response.writeHead(308, { location: target + request.url }).end()
  })
})
afterAll(() => {
  mira.close()
  proxy.close()
})

const signIn = (address: string) => login.handler({ address, token: true, passwordStdin: false } as never)

test('sends a token directly to a proxy’s target on the same host, and to no other host', async () => {
  const [miraPort, proxyPort] = [await listen(mira), await listen(proxy)]
  target = `http://127.0.0.1:${miraPort}`
  await signIn(`127.0.0.1:${proxyPort}`)
  expect(saveAccount).toHaveBeenCalledWith({ url: target, token: 'a token' })
  expect(requests.filter((request) => request.includes('a token'))).toEqual(['/api/auth/me Bearer a token'])

  requests.length = 0
  target = `http://localhost:${miraPort}`
  await expect(signIn(`127.0.0.1:${proxyPort}`)).rejects.toThrow(`redirects to ${target}`)
  expect(requests.filter((request) => request.includes('a token'))).toEqual([])
})
