// A local model hub that responds like huggingface.co, or fails in every way that a hub can.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tinyModels } from './local-model-files.ts'

/** Failures of the next file responses. */
export type HubFailure =
  | 'hangs'
  | 'hangs midway'
  | 'claims a huge size'
  | 'sends too much'
  | 'sends half'
  | 'sends something else'
  | 'redirects to a file URL'
  | 'ignores the range'
  | 404
  | 401
  | 503
  /** Sends `after` bytes and disconnects once they have arrived. */
  | { after: number; untilArrived(): Promise<void> }

export interface ModelHub {
  baseUrl: string
  /** Requests with file and start byte. */
  requests: { model: string; file: string; from: number; commit: string }[]
  /** Number of responses that aren't complete and whose connection isn't closed. */
  openResponses(): number
  /** Makes the next `times` responses for matching files fail. */
  failWith(failure: HubFailure, options?: { file?: RegExp; times?: number }): void
  /** Delays every response until the returned function is called. */
  hold(): () => void
  /** Replaces a file in a new revision, from now on the only one; the hub reports its correct hash. */
  publish(model: string, file: string, content: Buffer): void
  reset(): void
  close(): Promise<void>
}

const ENORMOUS = 5_000_000_000_000
export const HUB_COMMIT = 'c0ffee'.padEnd(40, '0')

export async function startModelHub(): Promise<ModelHub> {
  const contents = new Map<string, Buffer>()
  for (const [id, make] of Object.entries(tinyModels)) {
    for (const [name, content] of Object.entries(make())) contents.set(`${id}/${name}`, Buffer.from(content))
  }
  let head = HUB_COMMIT
  let replaced = new Map<string, Buffer>()
  let failures: { failure: HubFailure; file: RegExp; times: number }[] = []
  let gate: Promise<void> = Promise.resolve()
  const requests: ModelHub['requests'] = []
  const open = new Set<ServerResponse>()

  const server = createServer((request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    void gate.then(() => respond(request, response))
  })

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const url = decodeURIComponent(request.url ?? '')
    const bytes = /^\/bytes\/(.+)$/.exec(url)?.[1]
    const [, model = '', commit = '', file = ''] = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(url) ?? []
    const name = bytes ?? `${model}/${file}`
    const content = replaced.get(name) ?? contents.get(name)
    if (content === undefined) return response.writeHead(404).end()
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    if (bytes !== undefined) return send(response, content, from, takeFailure(bytes))
    requests.push({ model, file, from, commit })
    if (commit !== 'main' && commit !== head) return response.writeHead(404).end()
    response.setHeader('x-repo-commit', head)
    if (!file.endsWith('.onnx')) {
      const gitName = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
      response.setHeader('etag', `"${gitName}"`)
      return send(response, content, from, takeFailure(`${model}/${file}`))
    }
    // Large files are stored elsewhere.
    const has = (failure: HubFailure) => failures.some((one) => one.failure === failure)
    const isFileUrl = has('redirects to a file URL')
    response.setHeader('x-linked-etag', `"${createHash('sha256').update(content).digest('hex')}"`)
    response.setHeader('x-linked-size', has('claims a huge size') ? ENORMOUS : content.length)
    response.setHeader('location', isFileUrl ? 'file:///etc/passwd' : `/bytes/${model}/${file}`)
    return response.writeHead(302).end()
  }

  const takeFailure = (name: string): HubFailure | null => {
    const match = failures.find((one) => one.times > 0 && one.file.test(name))
    if (match === undefined) return null
    match.times--
    return match.failure
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    openResponses: () => open.size,
    failWith(failure, { file = /\.onnx$/, times = Infinity } = {}) {
      failures.push({ failure, file, times })
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
    publish(model, file, content) {
      head = createHash('sha1').update(content).digest('hex')
      replaced.set(`${model}/${file}`, content)
    },
    reset() {
      head = HUB_COMMIT
      replaced = new Map()
      failures = []
      requests.length = 0
      gate = Promise.resolve()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function send(
  response: ServerResponse,
  content: Buffer,
  from: number,
  failure: HubFailure | null,
): Promise<unknown> {
  if (failure === 'hangs') return
  if (typeof failure === 'number') return response.writeHead(failure).end()
  const start = failure === 'ignores the range' ? 0 : from
  if (start > 0 && start >= content.length) {
    return response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end()
  }
  const length = failure === 'claims a huge size' ? ENORMOUS : content.length
  const rest = failure === 'sends something else' ? Buffer.alloc(content.length - start, 7) : content.subarray(start)
  if (failure === 'sends too much') {
    response.writeHead(200)
    return response.end(Buffer.concat([content, content]))
  }
  if (start > 0) {
    const range = `bytes ${start}-${length - 1}/${length}`
    response.writeHead(206, { 'content-length': length - start, 'content-range': range })
  } else {
    response.writeHead(200, { 'content-length': length })
  }
  if (failure === 'hangs midway') return response.write(rest.subarray(0, -1))
  if (failure === 'claims a huge size') return response.write(rest)
  if (failure === 'sends half') {
    response.write(rest.subarray(0, rest.length / 2), () => setTimeout(() => response.socket?.end(), 20))
    return
  }
  if (failure !== null && typeof failure === 'object') {
    response.write(rest.subarray(0, failure.after))
    await failure.untilArrived()
    return response.destroy()
  }
  return response.end(rest)
}
