import { Readable } from 'node:stream'
import { cutText } from '@mira/shared/constants/cut-text'
import type { FastifyReply, FastifyRequest } from 'fastify'

interface RangedContent {
  /** Size of the whole file. */
  sizeBytes: number
  /** `start` and `end` count from 0 and are inclusive. */
  read(range: { start: number; end: number }): Promise<Readable | Uint8Array>
}

/** A file to send as a response. */
export interface FileResponse {
  /** Hash of the content, without quotes. */
  etag: string
  /** Detected from the content. */
  contentType: string
  /** File name of the download. */
  name: string
  /** Cache-Control header; one year by default, because the content at a file's URL never changes. */
  cacheControl?: string
  /** Called unless the browser has the file cached. */
  open(): Promise<RangedContent>
}

/**
 * Content types displayed inline, which browsers show or play but never execute. Everything else, such as HTML, scripts and
 * pictures with scripts, is downloaded.
 */
const inlineTypes = new Set([
  ...['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/bmp'],
  ...['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska'],
  ...['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/wav', 'audio/flac', 'audio/webm'],
])

/** The content at a URL never changes; a signed URL itself changes every day. */
const CACHE_CONTROL = 'private, max-age=31536000, immutable'

/**
 * Responds with a file or the requested range. The security headers of every response already prevent scripts and content
 * sniffing.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileResponse,
): Promise<FastifyReply> {
  const etag = `"${file.etag}"`
  const headers = {
    etag,
    'cache-control': file.cacheControl ?? CACHE_CONTROL,
    // a browser with several accounts must not reuse one account's response for another
    vary: [reply.getHeader('vary'), 'Authorization'].filter(Boolean).join(', '),
    'accept-ranges': 'bytes',
  }
  if (includesEtag(request.headers['if-none-match'], etag)) return reply.code(304).headers(headers).send()

  const { sizeBytes, read } = await file.open()
  const range = ifRangeHolds(request, etag) ? readRange(request.headers.range, sizeBytes) : 'whole'
  if (range === 'outside') {
    reply.code(416).header('content-range', `bytes */${sizeBytes}`)
    return reply.send({ detail: 'The file ends before that range begins.', code: 'range_not_satisfiable' })
  }
  const { start, end } = range === 'whole' ? { start: 0, end: sizeBytes - 1 } : range
  // Fastify drops the stream of a HEAD response and keeps the headers
  const body = request.method === 'HEAD' ? Readable.from([]) : await read({ start, end })
  // only after opening the file, so that an error isn't cached for a year
  reply.headers({
    ...headers,
    'content-type': file.contentType,
    'content-disposition': disposition(file),
    'content-length': end - start + 1,
  })
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`)
  return reply.send(body)
}

/** True when a list of ETags contains this one, weak or strong. */
function includesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

/** True when a range may be sent: the request has no If-Range, or its ETag is current. Otherwise the browser would mix two versions. */
function ifRangeHolds(request: FastifyRequest, etag: string): boolean {
  const condition = request.headers['if-range']
  return condition === undefined || condition === etag
}

/** Reads a range. Several ranges, and invalid ones, get the whole file, as the standard allows. */
function readRange(
  header: string | undefined,
  sizeBytes: number,
): { start: number; end: number } | 'whole' | 'outside' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const count = Math.min(Number(last), sizeBytes)
    return count === 0 ? 'outside' : { start: sizeBytes - count, end: sizeBytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= sizeBytes ? 'outside' : { start, end }
}

function disposition({ contentType, name }: FileResponse): string {
  return dispositionOf(inlineTypes.has(contentType) ? 'inline' : 'attachment', name)
}

/** Content-Disposition header with a file name in any script (RFC 6266). */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const whole = name.replace(/[^\w. -]/g, '_')
  const [extension = ''] = /\.\w{1,8}$/.exec(whole) ?? []
  const asciiName = whole.length <= 100 ? whole : whole.slice(0, 100 - extension.length) + extension
  const encoded = encodeURIComponent(cutText(name, 255).toWellFormed()).replace(/['()*]/g, encodeByte)
  return `${kind}; filename="${asciiName}"; filename*=UTF-8''${encoded}`
}

function encodeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
