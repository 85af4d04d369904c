import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A small server with enough of S3: signatures, objects, lists with small pages, multipart uploads. */
export interface S3Server {
  endpoint: string
  /** Content by key. */
  objects: Map<string, Buffer>
  /** Unfinished multipart uploads, by id. */
  uploads: Map<string, { key: string; parts: Map<number, Buffer> }>
  /** Keys of stored objects, one for each write. */
  writes: string[]
  /** Awaited before each response; an error breaks the connection. */
  onRequest: (request: IncomingMessage) => unknown
  /** Bytes after which the next download breaks off. */
  breaksAfterBytes: number | undefined
  close(): Promise<void>
}

export const S3_ACCESS = { accessKeyId: 'mira-key', secretAccessKey: 'a-secret-of-mira' }
const PAGE = 3

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** AWS Signature Version 4 of a request, computed from it. */
function expectedSignature(request: IncomingMessage, url: URL, signedHeaders: string, scope: string): string {
  const [date = '', region = '', service = '', end = ''] = scope.split('/')
  const query = [...url.searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).sort()
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const payload = String(request.headers['x-amz-content-sha256'])
  const canonical = [request.method, url.pathname, query.join('&'), headers.join(''), signedHeaders, payload].join('\n')
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [date, region, service, end].reduce<string | Buffer>(hmac, `AWS4${S3_ACCESS.secretAccessKey}`)
  return hmac(key, text).toString('hex')
}

export async function startS3Server(bucket = 'backups'): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map()
  const uploads: S3Server['uploads'] = new Map()
  const writes: string[] = []
  const changedAt = new Map<string, string>()
  const fail = (response: ServerResponse, status: number, code: string) =>
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
  const xml = (response: ServerResponse, body: string) =>
    response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`)
  const put = (key: string, content: Buffer) => {
    objects.set(key, content)
    changedAt.set(key, new Date().toISOString())
    writes.push(key)
  }

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    await server.onRequest(request)
    const url = new URL(request.url ?? '', 'http://s3')
    const body = await buffer(request)
    const [, keyId, scope = '', signedHeaders = '', signature] =
      /Credential=([^/]+)\/([^,]+), *SignedHeaders=([^,]+), *Signature=(\w+)/.exec(
        request.headers.authorization ?? '',
      ) ?? []
    if (keyId !== S3_ACCESS.accessKeyId) return fail(response, 403, 'InvalidAccessKeyId')
    if (signature !== expectedSignature(request, url, signedHeaders, scope))
      return fail(response, 403, 'SignatureDoesNotMatch')
    const [, requestedBucket, ...rest] = decodeURIComponent(url.pathname).split('/')
    if (requestedBucket !== bucket) return fail(response, 404, 'NoSuchBucket')
    const key = rest.join('/')
    const query = url.searchParams
    const uploadId = query.get('uploadId')
    if (request.method === 'GET' && query.has('uploads')) {
      const listed = [...uploads].map(
        ([id, one]) =>
          `<Upload><Key>${one.key}</Key><UploadId>${id}</UploadId><Initiated>2020-01-01T00:00:00Z</Initiated></Upload>`,
      )
      return xml(response, `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`)
    }
    if (request.method === 'GET' && key === '') {
      const token = query.get('continuation-token') ?? ''
      const prefix = query.get('prefix') ?? ''
      const keys = [...objects.keys()].filter((one) => one.startsWith(prefix) && one > token).sort()
      const page = keys.slice(0, PAGE)
      const listed = page.map(
        (one) =>
          `<Contents><Key>${one}</Key><Size>${objects.get(one)?.length}</Size><LastModified>${changedAt.get(one) ?? '2020-01-01T00:00:00Z'}</LastModified></Contents>`,
      )
      const more = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
      const isTruncated = `<IsTruncated>${keys.length > PAGE}</IsTruncated>`
      return xml(response, `<ListBucketResult>${isTruncated}${more}${listed.join('')}</ListBucketResult>`)
    }
    if (request.method === 'GET') {
      const content = objects.get(key)
      if (content === undefined) return fail(response, 404, 'NoSuchKey')
      const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
      const start = Number(first ?? 0)
      const piece = content.subarray(start, last ? Number(last) + 1 : undefined)
      const headers = { 'content-length': piece.length, etag: '"x"' }
      if (first === undefined) response.writeHead(200, headers)
      else {
        const range = `bytes ${start}-${start + piece.length - 1}/${content.length}`
        response.writeHead(206, { ...headers, 'content-range': range })
      }
      const { breaksAfterBytes } = server
      if (breaksAfterBytes === undefined || breaksAfterBytes >= piece.length) return response.end(piece)
      server.breaksAfterBytes = undefined
      return response.write(piece.subarray(0, breaksAfterBytes), () => request.socket.destroy())
    }
    if (request.method === 'POST' && query.has('uploads')) {
      const id = `upload-${uploads.size + writes.length}`
      uploads.set(id, { key, parts: new Map() })
      return xml(response, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    if (uploadId !== null) {
      const upload = uploads.get(uploadId)
      if (upload === undefined) return fail(response, 404, 'NoSuchUpload')
      if (request.method === 'PUT') {
        upload.parts.set(Number(query.get('partNumber')), body)
        return response.writeHead(200, { etag: `"${sha256(body)}"` }).end()
      }
      uploads.delete(uploadId)
      if (request.method === 'DELETE') return response.writeHead(204).end()
      put(key, Buffer.concat([...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part)))
      return xml(response, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
    }
    if (request.method === 'PUT') {
      put(key, body)
      return response.writeHead(200, { etag: `"${sha256(body)}"` }).end()
    }
    objects.delete(key)
    return response.writeHead(204).end()
  }

  const http = createServer((request, response) => {
    respond(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const server: S3Server = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    objects,
    uploads,
    writes,
    onRequest: () => {},
    breaksAfterBytes: undefined,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  return server
}
