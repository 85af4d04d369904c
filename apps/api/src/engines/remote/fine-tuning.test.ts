import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createRemoteFineTuning } from './fine-tuning.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** Starts a server that sends JSON for the given paths and 404 for all others. */
async function serve(bodies: Record<string, object>) {
  const calls: { path: string; body: string }[] = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const path = `${request.method} ${request.url}`
    calls.push({ path, body })
    const responseBody = bodies[path]
    response.writeHead(responseBody ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(responseBody ?? { error: { message: 'no such path' } }))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connection = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'key', model: 'small' }
  return { training: createRemoteFineTuning(connection), calls }
}

const { signal } = new AbortController()

test('uploads a training set, starts a job and reads its state', async () => {
  const { training, calls } = await serve({
    'POST /v1/files': { id: 'file-1' },
    'POST /v1/fine_tuning/jobs': { id: 'job-1', status: 'queued' },
    'GET /v1/fine_tuning/jobs/job-1': { id: 'job-1', status: 'succeeded', fine_tuned_model: 'small:mira' },
    'GET /v1/fine_tuning/jobs/job-2': { id: 'job-2', status: 'failed', error: { message: 'too few examples' } },
    'GET /v1/fine_tuning/jobs/job-3': { id: 'job-3', status: 'running' },
  })
  expect(await training.start('{"messages":[]}\n', signal)).toEqual({ jobId: 'job-1', model: 'small' })
  expect(calls[0]?.body).toContain('{"messages":[]}')
  expect(calls[0]?.body).toContain('fine-tune')
  expect(JSON.parse(calls[1]?.body ?? '')).toEqual({ training_file: 'file-1', model: 'small' })
  expect(await training.state('job-1', signal)).toEqual({ state: 'succeeded', detail: 'small:mira' })
  expect(await training.state('job-2', signal)).toEqual({ state: 'failed', detail: 'too few examples' })
  expect(await training.state('job-3', signal)).toEqual({ state: 'running', detail: null })
})

test('returns null for a server without a fine-tuning API, and throws the error for an unknown job', async () => {
  const { training } = await serve({})
  expect(await training.start('{}\n', signal)).toBeNull()
  await expect(training.state('job-1', signal)).rejects.toThrow('no such path')
})
