import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The bytes of a file, opened when they are wanted. */
interface RangedContent {
  /** Size of the whole file. */
  sizeBytes: number
  /** `start` and `end` are counted from 0 and included. */
  read(range: { start: number; end: number }): Promise<Readable | Uint8Array>
}

/** A file as a route answers it. */
export interface FileAnswer {
  /** Changes with the content: a hash of it, without quotes. */
  etag: string
  /** Judged by content. */
  contentType: string
  /** File name of the download. */
  name: string
  /** Cache-Control header; the default is one year, since the content at an address of a user's file never changes. */
  cacheControl?: string
  /** Called when the browser does not have it already. */
  open(): Promise<RangedContent>
}

/**
 * Content types displayed inline: browsers show or play but never execute them. Everything else, such as a page, a
 * script
 * or a picture with scripts, is downloaded.
 */
const inlineTypes = new Set([
  ...['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/bmp'],
  ...['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska'],
  ...['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/wav', 'audio/flac', 'audio/webm'],
])

/** The content behind an address never changes; a signed address itself is another one every day. */
const CACHE_CONTROL = 'private, max-age=31536000, immutable'

/**
 * Answers with a file, or as much of it as was asked for. The policy of every answer already keeps it from running
 * anything, and its type from being guessed.
 */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: FileAnswer): Promise<FastifyReply> {
  const etag = `"${file.etag}"`
  const headers = {
    etag,
    'cache-control': file.cacheControl ?? CACHE_CONTROL,
    // one browser, several accounts: what a token opened is not there for the next one
    vary: [reply.getHeader('vary'), 'Authorization'].filter(Boolean).join(', '),
    'accept-ranges': 'bytes',
  }
  if (isSame(request.headers['if-none-match'], etag)) return reply.code(304).headers(headers).send()

  const { sizeBytes, read } = await file.open()
  const range = ifRangeHolds(request, etag) ? readRange(request.headers.range, sizeBytes) : 'whole'
  if (range === 'outside') {
    reply.code(416).header('content-range', `bytes */${sizeBytes}`)
    return reply.send({ detail: 'The file ends before that range begins.', code: 'range_not_satisfiable' })
  }
  const { start, end } = range === 'whole' ? { start: 0, end: sizeBytes - 1 } : range
  // to a HEAD, the framework drops a stream and leaves the headers as they are
  const body = request.method === 'HEAD' ? Readable.from([]) : await read({ start, end })
  // not before the file is there: an error must not be kept for a year
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
function isSame(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

/** A range of something else than what the browser has would make a mixture. */
function ifRangeHolds(request: FastifyRequest, etag: string): boolean {
  const condition = request.headers['if-range']
  return condition === undefined || condition === etag
}

/** Several ranges at once, and what is no range at all, are answered with the whole file, as the standard allows. */
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

function disposition({ contentType, name }: FileAnswer): string {
  return dispositionOf(inlineTypes.has(contentType) ? 'inline' : 'attachment', name)
}

/** The header that names a file, in any script (RFC 6266). */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const whole = name.replace(/[^\w. -]/g, '_')
  const [extension = ''] = /\.\w{1,8}$/.exec(whole) ?? []
  const plain = whole.length <= 100 ? whole : whole.slice(0, 100 - extension.length) + extension
  const encoded = encodeURIComponent(name.slice(0, 255).toWellFormed()).replace(/['()*]/g, encodeByte)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

function encodeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
