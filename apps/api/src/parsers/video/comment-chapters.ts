import type { FileBytes } from '../file-bytes.ts'

/** Chapter of a video or audiobook, as stated by its file. */
export interface FileChapter {
  startSeconds: number
  /** Null when the file only states starts. */
  endSeconds: number | null
  title: string
}

const MAX_BYTES = 16 * 1024 * 1024
const MAX_PAGES = 2_000
const MAX_BLOCKS = 100
const MAX_COMMENTS = 10_000
const COMMENT_BLOCK = 4
const PAGE_HEADER_BYTES = 27
const MAX_SEGMENTS = 255
/** Beginning of the packet with comments, by codec (the last two for FLAC), and the offset of the comments in the packet. */
const packetStarts: [beginning: string, offset: number][] = [
  ['OpusTags', 8],
  ['\x03vorbis', 7],
  ['\x81theora', 7],
  ['\x04', 4],
  ['\x84', 4],
]

/** Chapters in the comments of an Ogg file's first stream. */
export async function oggChapters(bytes: FileBytes): Promise<FileChapter[]> {
  const packet = await secondPacket(bytes)
  const start = packetStarts.find(([beginning]) => packet.toString('latin1', 0, beginning.length) === beginning)
  return start === undefined ? [] : chaptersOfComments(packet.subarray(start[1]))
}

/** Chapters in the comments of a FLAC file. */
export async function flacChapters(bytes: FileBytes): Promise<FileChapter[]> {
  const head = await bytes.read(0, 10)
  let position = head.toString('latin1', 0, 3) === 'ID3' ? head.length + syncsafe(head, 6) : 0
  if ((await bytes.read(position, 4)).toString('latin1') !== 'fLaC') return []
  position += 4
  for (let block = 0; block < MAX_BLOCKS; block++) {
    const header = await bytes.read(position, 4)
    const [kind, length] = [header.readUInt8(0), header.readUIntBE(1, 3)]
    if ((kind & 0x7f) === COMMENT_BLOCK) return chaptersOfComments(await bytes.read(position + 4, length))
    if (kind > 0x7f) break
    position += 4 + length
  }
  return []
}

/** Length of an ID3v2 tag or frame: seven bits of each byte. */
export const syncsafe = (bytes: Buffer, offset: number) =>
  [0, 1, 2, 3].reduce((sum, n) => sum * 128 + ((bytes[offset + n] ?? 0) & 0x7f), 0)

/** The second packet of the first stream (RFC 3533), which has the comments; a cover among them fills many pages. */
async function secondPacket(bytes: FileBytes): Promise<Buffer> {
  const parts: Buffer[] = []
  let [position, packet, sizeBytes] = [0, 0, 0]
  let serial: number | undefined
  for (let page = 0; page < MAX_PAGES && sizeBytes < MAX_BYTES; page++) {
    const header = await bytes.read(position, PAGE_HEADER_BYTES + MAX_SEGMENTS)
    if (header.toString('latin1', 0, 4) !== 'OggS') break
    const lengths = header.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + header.readUInt8(26))
    const bodyBytes = lengths.reduce((sum, length) => sum + length, 0)
    const start = position + PAGE_HEADER_BYTES + lengths.length
    position = start + bodyBytes
    serial ??= header.readUInt32LE(14)
    if (header.readUInt32LE(14) !== serial) continue
    const body = await bytes.read(start, bodyBytes)
    let offset = 0
    for (const length of lengths) {
      if (packet === 1) parts.push(body.subarray(offset, offset + length))
      offset += length
      // a shorter segment is the last one of its packet
      if (length < 255 && ++packet === 2) return Buffer.concat(parts)
    }
    sizeBytes += bodyBytes
  }
  return Buffer.alloc(0)
}

/** `CHAPTER001=00:01:02.500` and `CHAPTER001NAME=…`, as FFmpeg and audiobook programs write them. */
function chaptersOfComments(comments: Buffer): FileChapter[] {
  const starts = new Map<string, number>()
  const titles = new Map<string, string>()
  let offset = 4 + comments.readUInt32LE(0)
  const count = Math.min(comments.readUInt32LE(offset), MAX_COMMENTS)
  offset += 4
  for (let n = 0; n < count && offset + 4 <= comments.length; n++) {
    const length = comments.readUInt32LE(offset)
    // only the beginning, since a cover is a comment, too
    const comment = comments.toString('utf8', offset + 4, offset + 4 + Math.min(length, 2_000))
    const [, number = '', name, value = ''] = /^CHAPTER(\d{1,4})(NAME)?=(.*)$/is.exec(comment) ?? []
    const [, hours, minutes, seconds] = /^(\d{1,3}):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(value.trim()) ?? []
    if (name !== undefined) titles.set(number, value)
    else if (seconds !== undefined) starts.set(number, Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
    offset += 4 + length
  }
  return [...starts].map(([number, startSeconds]) => ({
    startSeconds,
    endSeconds: null,
    title: titles.get(number) ?? '',
  }))
}
