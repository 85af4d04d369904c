import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMira } from '@mira/client'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { LocalFile } from './files.ts'
import { sendFile } from './send-file.ts'

vi.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }))

const UNFINISHED = { id: 'unfinished', fingerprint: 'sha', import_source: null }

let folder: string
let file: LocalFile
let server: Server | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-send-'))
  const path = join(folder, 'film.mp4')
  await writeFile(path, '')
  await truncate(path, 17 * 1024 * 1024)
  file = { path, sizeBytes: 17 * 1024 * 1024 }
})
afterEach(() => server?.close())
afterAll(() => rm(folder, { recursive: true }))

/** Uploads to a server that has all but ten bytes, and first gives these statuses instead of the upload's offset. */
async function upload(headStatuses: number[]): Promise<string[]> {
  const requests: string[] = []
  const offset = file.sizeBytes - 10
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(file.sizeBytes) }
  server = createServer((request, response) => {
    const { method, url = '' } = request
    requests.push(`${method} ${url.replace('/api/media/uploads', '')} ${request.headers['upload-offset'] ?? ''}`.trim())
    request.resume().on('end', () => {
      if (method === 'HEAD') {
        response.writeHead(headStatuses.shift() ?? 200, { ...headers, 'upload-offset': String(offset) }).end()
      } else if (method === 'PATCH') {
        response.writeHead(204, { ...headers, 'upload-offset': String(file.sizeBytes) }).end()
      } else if (method === 'POST') {
        response.writeHead(201, { ...headers, location: 'uploads/new' }).end()
      } else {
        const uploads = [{ ...UNFINISHED, size_bytes: file.sizeBytes }]
        const isList = url.endsWith('/uploads')
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(isList ? { uploads } : { media_item: { id: 'film' }, is_duplicate: false }))
      }
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const account = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'mira_x' }
  const sending = { mira: createMira(account), account, keepPlace: false, onProgress: () => undefined }
  expect(await sendFile(file, 'sha', sending)).toEqual({ id: 'film', isDuplicate: false })
  return requests.filter((request) => request.startsWith('POST') || request.startsWith('PATCH'))
}

test.each([[[]], [[423]], [[409]], [[502, 503]]])(
  'sends only the missing bytes of an unfinished upload, also after the statuses %j',
  async (statuses) => {
    expect(await upload(statuses)).toEqual([`PATCH /unfinished ${file.sizeBytes - 10}`])
  },
)

test('starts again when the unfinished upload has expired', async () => {
  const [post, patch] = await upload([404])
  expect([post, patch]).toEqual(['POST', 'PATCH /new 0'])
})

test('says that a proxy refuses parts of this size', async () => {
  await expect(upload([413])).rejects.toThrow('The proxy in front of Mira refuses uploads this large')
})
