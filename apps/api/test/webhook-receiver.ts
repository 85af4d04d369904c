import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>

export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a receiver of webhooks: it responds 204, or as `answers` defines for a path. */
export async function startWebhookReceiver() {
  const received: ReceivedRequest[] = []
  const handlers: Record<string, (response: ServerResponse) => void> = {}
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const path = request.url ?? ''
    received.push({ path, headers: request.headers, body })
    const handler = handlers[path]
    if (handler) handler(response)
    else response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    url: `http://${host}`,
    received,
    requestsTo: (path: string) => received.filter((one) => one.path === path),
    handlers,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
