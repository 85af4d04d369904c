import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Kinds of files that become much smaller, with the type that they are sent as. */
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const encoders = {
  br: (content: Buffer) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => promisify(gzip)(content, { level: 9 }),
}

type Encoding = keyof typeof encoders

/** A file as it is sent to a client that takes its encoding. */
export interface CompressedFile {
  encoding: Encoding
  type: string
  content: Buffer
}

/**
 * Compresses files of a folder when they are first asked for, away from the event loop, and keeps the result in memory.
 * The files must never change: meant for a build's hashed assets.
 */
export function createCompressedFiles(directory: string) {
  const kept = new Map<string, Promise<Buffer>>()

  return {
    /** The file in the best encoding that the client takes; null when it is better sent as it is. */
    async read(path: string, acceptEncoding: string | undefined): Promise<CompressedFile | null> {
      const type = types[extname(path)]
      const encoding = bestEncoding(acceptEncoding)
      if (type === undefined || encoding === null) return null
      const key = `${encoding} ${path}`
      const compressing = kept.get(key) ?? readFile(join(directory, path)).then(encoders[encoding])
      kept.set(key, compressing)
      try {
        return { encoding, type, content: await compressing }
      } catch (error) {
        kept.delete(key)
        throw error
      }
    },
  }
}

function bestEncoding(acceptEncoding = ''): Encoding | null {
  const accepted = acceptEncoding.split(',').flatMap((item) => {
    const [name = '', ...weights] = item.split(';').map((part) => part.trim().toLowerCase())
    return weights.some((weight) => /^q=0(\.0*)?$/.test(weight)) ? [] : [name]
  })
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? null
}
