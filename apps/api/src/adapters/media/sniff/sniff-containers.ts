import type { FileHandle } from 'node:fs/promises'

/** True when a file that may be a film or a recording has a picture track; null when unknown. */
export type HasVideo = (handle: FileHandle, sizeBytes: number) => Promise<boolean | null>

/** Most bytes read of a file's track descriptions. */
const MOST_BYTES = 4 * 1024 * 1024
/** Most top-level boxes read of an MP4. */
const MOST_BOXES = 1000

const guid = (digits: string) => Buffer.from(digits, 'hex')
const asfVideo = guid('c0ef19bc4d5bcf11a8fd00805f5c442b')
const asfAudio = guid('409e69f84d5bcf11a8fd00805f5c442b')
const ebmlTracks = guid('1654ae6b')
const ebmlVideoTrack = guid('838101')
const ebmlAudioTrack = guid('838102')
const handlerBox = Buffer.from('hdlr')

/** Windows Media: the header comes first and says how long it is. */
export const asfHasVideo: HasVideo = async (handle, sizeBytes) => {
  const start = await read(handle, 0, Math.min(sizeBytes, 30))
  if (start.length < 30) return null
  const header = await read(handle, 0, atMost(start.readBigUInt64LE(16)))
  return verdict(header.includes(asfVideo), header.includes(asfAudio))
}

/** Matroska and WebM: the tracks stand before the pictures. */
export const matroskaHasVideo: HasVideo = async (handle, sizeBytes) => {
  const start = await read(handle, 0, Math.min(sizeBytes, MOST_BYTES))
  const at = start.indexOf(ebmlTracks)
  if (at < 0) return null
  const { length, value } = readVint(start, at + ebmlTracks.length)
  const from = at + ebmlTracks.length + length
  const tracks = start.subarray(from, from + value)
  return verdict(tracks.includes(ebmlVideoTrack), tracks.includes(ebmlAudioTrack))
}

/** MP4 and QuickTime: the box that describes the tracks may stand anywhere among those at the top. */
export const mp4HasVideo: HasVideo = async (handle, sizeBytes) => {
  let at = 0
  for (let box = 0; box < MOST_BOXES && at + 8 <= sizeBytes; box++) {
    const header = await read(handle, at, 16)
    if (header.length < 8) return null
    const short = header.readUInt32BE(0)
    const isLong = short === 1 && header.length === 16
    const size = short === 0 ? sizeBytes - at : isLong ? Number(header.readBigUInt64BE(8)) : short
    if (header.toString('latin1', 4, 8) === 'moov')
      return moovHasVideo(await read(handle, at, Math.min(size, MOST_BYTES)))
    if (size < 8) return null
    at += size
  }
  return null
}

/** The kind of a track stands eight bytes after the name of its handler's box. */
function moovHasVideo(moov: Buffer): boolean | null {
  const kinds = new Set<string>()
  for (let at = moov.indexOf(handlerBox); at >= 0; at = moov.indexOf(handlerBox, at + 4)) {
    kinds.add(moov.toString('latin1', at + 12, at + 16))
  }
  return verdict(kinds.has('vide'), kinds.has('soun'))
}

function verdict(hasVideo: boolean, hasAudio: boolean): boolean | null {
  if (hasVideo) return true
  return hasAudio ? false : null
}

/** A number whose first byte says by its zeros how many bytes it has; unknown lengths reach to the end. */
function readVint(bytes: Buffer, at: number): { length: number; value: number } {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  if (length > 8) return { length: 1, value: 0 }
  let value = first & (0xff >> length)
  for (let next = 1; next < length; next++) value = value * 256 + (bytes[at + next] ?? 0)
  return { length, value }
}

function atMost(size: bigint): number {
  return size > MOST_BYTES ? MOST_BYTES : Number(size)
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
