import { request } from 'node:http'

/** A request as it is sent: nothing is added but what HTTP needs. */
export interface PlainRequest {
  method: string
  /** With its query. */
  path: string
  headers?: Record<string, string>
  body?: string | Uint8Array | undefined
}

/**
 * Sends one request and leaves as soon as its status is known, because streams have no end; the text of an answer is read where
 * `wantsText` says so. For tests that send thousands, many of them of megabytes: `fetch` copies each body several times.
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
      const answer = () => resolve({ status, text: Buffer.concat(pieces).toString() })
      // what else the server says to a body that it does not take does not matter any more
      sent.on('error', () => {})
      response.on('error', isWanted ? reject : () => {})
      if (!isWanted) {
        answer()
        response.destroy()
        return
      }
      response.on('data', (piece: Buffer) => pieces.push(piece)).on('end', answer)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
