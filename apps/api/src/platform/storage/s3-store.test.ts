import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RemoteStoreError } from '../../errors.ts'
import type { RemoteStore } from './folder-store.ts'
import { openS3Store } from './s3-store.ts'

let respond: (response: ServerResponse) => void
const proxy = createServer((_request, response) => respond(response))
let store: RemoteStore
beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  store = await openS3Store({
    ...{ bucket: 'files', prefix: '', endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
    ...{ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
    variables: { endpoint: 'AWS_ENDPOINT_URL', accessKeyId: 'A', secretAccessKey: 'S' },
  })
})
afterAll(() => {
  store.close()
  proxy.closeAllConnections()
  proxy.close()
})

test.each([
  ['has nothing behind it', (response: ServerResponse) => response.writeHead(404).end()],
  ['leaves the length out', (response: ServerResponse) => response.writeHead(200).write('the file')],
])('a proxy that %s is an error, not a missing or empty file', async (_case, send) => {
  respond = send
  const reading = store.read('letter')
  await expect(reading).rejects.toBeInstanceOf(RemoteStoreError)
})
