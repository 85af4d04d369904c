import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FeedServer = Awaited<ReturnType<typeof startFeedServer>>

interface ServedItem {
  title: string
  link?: string
  summary?: string
  /** Minutes before now. */
  ageMinutes?: number
}

/** An RSS feed as most newspapers serve it. */
export function rssFeed(items: ServedItem[], now: Date): string {
  const entries = items.map(
    ({ title, link, summary, ageMinutes }) =>
      `<item><title>${title}</title>${link ? `<link>${link}</link>` : ''}${summary ? `<description>${summary}</description>` : ''}${
        ageMinutes === undefined
          ? ''
          : `<pubDate>${new Date(now.getTime() - ageMinutes * 60_000).toUTCString()}</pubDate>`
      }</item>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Paper</title>${entries.join('')}</channel></rss>`
}

/** Starts a server of feeds and fake feeds: `answers` has the response of each path; other paths are 404. */
export async function startFeedServer() {
  const responders: Record<string, (response: ServerResponse) => void> = {}
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const responder = responders[path]
    if (responder) responder(response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const send = (type: string, body: string | Buffer) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': type }).end(body)
  }
  return {
    host,
    url: `http://${host}`,
    requests,
    responders,
    send,
    redirect: (to: string) => (response: ServerResponse) => void response.writeHead(302, { location: to }).end(),
    hang: () => {},
    /** An endless body; `announcedBytes` is its content-length. */
    endless: (announcedBytes?: number) => (response: ServerResponse) => {
      const length = announcedBytes === undefined ? {} : { 'content-length': announcedBytes }
      response.writeHead(200, { 'content-type': 'application/rss+xml', ...length })
      const write = () => {
        if (!response.destroyed) response.write('<item><title>x</title></item>'.repeat(500), () => setImmediate(write))
      }
      write()
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
