import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type HookReceiver = Awaited<ReturnType<typeof startHookReceiver>>

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a receiver of webhooks: it responds 204, or as `answers` defines for a path. */
export async function startHookReceiver() {
  const received: Received[] = []
  const answers: Record<string, (response: ServerResponse) => void> = {}
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body })
    const answer = answers[path]
    if (answer) answer(response)
    else response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    received,
    at: (path: string) => received.filter((one) => one.path === path),
    answers,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
