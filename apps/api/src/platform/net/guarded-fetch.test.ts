import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { writeWav } from '../../../test/wav-files.ts'
import { createRemote } from '../../engines/remote/remote-ai.ts'
import { createGuardedFetch, isForbiddenAddress, leadsToMetadata } from './guarded-fetch.ts'

const names: Record<string, string[]> = {
  'models.test': ['127.0.0.1'],
  'cloud.test': ['169.254.169.254'],
  'both.test': ['127.0.0.1', 'fd00:ec2::254'],
}
const resolve = async (name: string) => names[name] ?? []

let server: OpenAiServer
let redirectServer: Server
let redirectingUrl: string
beforeAll(async () => {
  server = await startOpenAiServer()
  redirectServer = createServer((_request, response) => {
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/?token=1' }).end()
  })
  await new Promise<void>((listening) => redirectServer.listen(0, '127.0.0.1', listening))
  redirectingUrl = `http://127.0.0.1:${(redirectServer.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  await server.close()
  redirectServer.close()
})

const connectTo = (baseUrl: string) =>
  createRemote({
    baseUrl,
    apiKey: 'sk-test',
    name: 'One',
    log: silentLog,
    retryDelayMs: 1,
    fetch: createGuardedFetch({ resolve }),
  })
const failureOf = async (baseUrl: string) => {
  const { connection } = connectTo(baseUrl)
  await connection.probe()
  return connection.problem()?.text ?? null
}
/** URL of the test server, with a name instead of its address. */
const urlWithName = (name: string) => server.baseUrl.replace('127.0.0.1', name)

test('a server in the local network is reached, by its address and by its name', async () => {
  expect(await failureOf(server.baseUrl)).toBe(null)
  expect(await failureOf(urlWithName('models.test'))).toBe(null)
})

test.each(['cloud.test', 'both.test'])('a name that leads to a metadata service is not reached: %s', async (name) => {
  const before = server.requests.length
  expect(await failureOf(urlWithName(name))).toMatch(
    /can’t be reached at .*: it leads to the metadata service of a cloud\./,
  )
  expect(await leadsToMetadata(urlWithName(name), resolve)).toBe(true)
  expect(server.requests.length).toBe(before)
})

test('a redirect is reported and not followed', async () => {
  expect(await failureOf(redirectingUrl)).toMatch(
    /\(307\): It redirects to http:\/\/169\.254\.169\.254\/latest\/meta-data\/: connect/,
  )
})

test('forms arrive completely', async () => {
  const form = new FormData()
  form.append('file', new File([readFileSync(writeWav([{ seconds: 3 }]))], 'a.wav', { type: 'audio/wav' }))
  form.append('model', 'test-whisper')
  const address = `${urlWithName('models.test')}/audio/transcriptions`
  await createGuardedFetch({ resolve })(address, { method: 'POST', body: form })
  expect(server.requests.at(-1)?.body).toMatchObject({ model: 'test-whisper', file: { seconds: 3 } })
})

test.each([
  ['169.254.170.2', true],
  ['::ffff:169.254.169.254', true],
  ['::ffff:a9fe:a9fe', true],
  ['::a9fe:a9fe', true],
  ['2002:a9fe:a9fe::1', true],
  ['64:ff9b::a9fe:a9fe', true],
  ['64:ff9b:1::a9fe:a9fe', true],
  ['64:ff9b:1:a9fe:a9:fe00::', true],
  ['64:ff9b:1:808:8:800::', false],
  ['fe80::1', true],
  ['168.63.129.16', true],
  ['127.0.0.1', false],
  ['192.168.1.5', false],
  ['10.0.0.1', false],
  ['::1', false],
  ['fd12::1', false],
  ['8.8.8.8', false],
])('%s is forbidden: %s', (address, isForbidden) => {
  expect(isForbiddenAddress(address)).toBe(isForbidden)
})
