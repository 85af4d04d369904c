import { request } from 'node:http'

/** A request that is sent without additional headers, except those that HTTP requires. */
export interface PlainRequest {
  method: string
  /** With its query. */
  path: string
  headers?: Record<string, string>
  body?: string | Uint8Array | undefined
}

/**
 * Sends one request and disconnects once the status is known, because streams never end; the body is read only when `wantsText`
 * returns true. For tests that send thousands of requests, many of them megabytes: `fetch` copies each body several times.
 */
export function plainCall(
  address: string,
  { method, path, headers, body }: PlainRequest,
  wantsText: (status: number, contentType: string) => boolean,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(address + path), { method, headers }, (response) => {
      const { statusCode: status = 0 } = response
      const pieces: Buffer[] = []
      const isWanted = wantsText(status, response.headers['content-type'] ?? '')
      const finish = () => resolve({ status, text: Buffer.concat(pieces).toString() })
      // Later errors don't matter: the server may close the connection while a rejected body is sent.
      sent.on('error', () => {})
      response.on('error', isWanted ? reject : () => {})
      if (!isWanted) {
        finish()
        response.destroy()
        return
      }
      response.on('data', (piece: Buffer) => pieces.push(piece)).on('end', finish)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
