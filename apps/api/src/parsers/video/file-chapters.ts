import { cutText } from '@mira/shared/constants/cut-text'
import { type FileBytes, withBytes } from '../file-bytes.ts'
import { decodeShortText } from '../text-decoder.ts'
import { type FileChapter, flacChapters, oggChapters, syncsafe } from './comment-chapters.ts'

const MAX_CHAPTERS = 1_000
const MAX_TITLE_CHARACTERS = 300
/** Limit of a file's track descriptions. */
const MAX_BYTES = 64 * 1024 * 1024
/** Limit of the top-level parts skipped to find them. */
const MAX_PARTS = 50_000

/** Chapters of a file; none when they're missing or invalid. */
export async function chaptersOfFile(filename: string, demuxer: string): Promise<FileChapter[]> {
  const read = readers[demuxer]
  if (read === undefined) return []
  try {
    return tidyChapters(await withBytes(filename, read))
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

const readers: Record<string, (bytes: FileBytes) => Promise<FileChapter[]>> = {
  mov: mp4Chapters,
  matroska: matroskaChapters,
  mp3: id3Chapters,
  ogg: oggChapters,
  flac: flacChapters,
}

function tidyChapters(chapters: FileChapter[]): FileChapter[] {
  return chapters
    .slice(0, MAX_CHAPTERS)
    .map(({ title, ...times }) => ({
      ...times,
      title: cutText(title.replaceAll('\0', '').trim(), MAX_TITLE_CHARACTERS).toWellFormed(),
    }))
    .filter(({ startSeconds, title }) => Number.isFinite(startSeconds) && startSeconds >= 0 && title !== '')
    .toSorted((one, other) => one.startSeconds - other.startSeconds)
}

interface Box {
  type: string
  body: Buffer
}

/** Consecutive boxes of an MP4. */
function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let offset = 0; offset + 8 <= bytes.length && boxes.length < MAX_PARTS; ) {
    const isLong = bytes.readUInt32BE(offset) === 1 && offset + 16 <= bytes.length
    const size = isLong
      ? Number(bytes.readBigUInt64BE(offset + 8))
      : bytes.readUInt32BE(offset) || bytes.length - offset
    const start = isLong ? 16 : 8
    if (size < start) break
    boxes.push({
      type: bytes.toString('latin1', offset + 4, offset + 8),
      body: bytes.subarray(offset + start, offset + size),
    })
    offset += size
  }
  return boxes
}

/** Body of the first box at a path of types. */
function boxAt(bytes: Buffer, ...path: string[]): Buffer | undefined {
  let current: Buffer | undefined = bytes
  for (const type of path) current = current && boxesIn(current).find((box) => box.type === type)?.body
  return current
}

/** Chapters from Nero's list in the user data, or else from the text track that another track refers to. */
async function mp4Chapters(bytes: FileBytes): Promise<FileChapter[]> {
  const moov = await findMoov(bytes)
  if (moov === undefined) return []
  const neroList = boxAt(moov, 'udta', 'chpl')
  const chapters = neroList === undefined ? [] : neroChapters(neroList)
  return chapters.length > 0 ? chapters : trackChapters(bytes, moov)
}

async function findMoov({ sizeBytes, read }: FileBytes): Promise<Buffer | undefined> {
  for (let offset = 0, part = 0; part < MAX_PARTS && offset + 8 <= sizeBytes; part++) {
    const header = await read(offset, 16)
    if (header.length < 16) return undefined
    const shortSize = header.readUInt32BE(0)
    const size = shortSize === 1 ? Number(header.readBigUInt64BE(8)) : shortSize || sizeBytes - offset
    const start = shortSize === 1 ? 16 : 8
    if (header.toString('latin1', 4, 8) === 'moov') {
      return size - start > MAX_BYTES ? undefined : read(offset + start, size - start)
    }
    if (size < start) return undefined
    offset += size
  }
  return undefined
}

function neroChapters(body: Buffer): FileChapter[] {
  const chapters: FileChapter[] = []
  let offset = (body[0] ?? 0) > 0 ? 8 : 4
  const count = body[offset++] ?? 0
  for (let n = 0; n < count && offset + 9 <= body.length; n++) {
    const length = body.readUInt8(offset + 8)
    const title = decodeShortText(body.subarray(offset + 9, offset + 9 + length))
    chapters.push({ startSeconds: Number(body.readBigUInt64BE(offset)) / 10_000_000, endSeconds: null, title })
    offset += 9 + length
  }
  return chapters
}

async function trackChapters({ read }: FileBytes, moov: Buffer): Promise<FileChapter[]> {
  const tracks = boxesIn(moov).flatMap(({ type, body }) => (type === 'trak' ? [body] : []))
  const reference = tracks.map((track) => boxAt(track, 'tref', 'chap')).find((body) => (body?.length ?? 0) >= 4)
  const trackId = reference?.readUInt32BE(0)
  const track = tracks.find((track) => trackId !== undefined && trackIdOf(track) === trackId && isTextTrack(track))
  const table = track && boxAt(track, 'mdia', 'minf', 'stbl')
  const header = track && boxAt(track, 'mdia', 'mdhd')
  if (table === undefined || header === undefined) return []
  const timescale = header.readUInt32BE(header[0] === 1 ? 20 : 12) || 1
  const durations = durationsOf(table)
  const chapters: FileChapter[] = []
  let start = 0
  for (const [n, { position, length }] of samplesOf(table).entries()) {
    const end = start + (durations[n] ?? 0)
    const sample = await read(position, Math.min(length, 4_096))
    const title = sample.length < 2 ? '' : decodeShortText(sample.subarray(2, 2 + sample.readUInt16BE(0)))
    chapters.push({ startSeconds: start / timescale, endSeconds: end / timescale, title })
    start = end
  }
  return chapters
}

function trackIdOf(track: Buffer): number | undefined {
  const header = boxAt(track, 'tkhd')
  const offset = header?.[0] === 1 ? 20 : 12
  return header && offset + 4 <= header.length ? header.readUInt32BE(offset) : undefined
}

function isTextTrack(track: Buffer): boolean {
  return /^(text|sbtl)$/.test(boxAt(track, 'mdia', 'hdlr')?.toString('latin1', 8, 12) ?? '')
}

function durationsOf(table: Buffer): number[] {
  const body = boxAt(table, 'stts')
  const durations: number[] = []
  for (let offset = 8; body && offset + 8 <= body.length && durations.length < MAX_CHAPTERS; offset += 8) {
    const count = Math.min(body.readUInt32BE(offset), MAX_CHAPTERS - durations.length)
    for (let n = 0; n < count; n++) durations.push(body.readUInt32BE(offset + 4))
  }
  return durations
}

/** Positions of a track's samples, which are contiguous within a chunk. */
function samplesOf(table: Buffer): { position: number; length: number }[] {
  const [sizes, chunkOffsets, longChunkOffsets, sampleToChunk] = ['stsz', 'stco', 'co64', 'stsc'].map((type) =>
    boxAt(table, type),
  )
  if (!sizes || !sampleToChunk || !(chunkOffsets ?? longChunkOffsets)) return []
  const count = Math.min(sizes.readUInt32BE(8), MAX_CHAPTERS)
  const sizeOf = (n: number) => sizes.readUInt32BE(4) || sizes.readUInt32BE(12 + 4 * n)
  const chunkCount = (chunkOffsets ?? longChunkOffsets)?.readUInt32BE(4) ?? 0
  const runs = Array.from(
    { length: sampleToChunk.readUInt32BE(4) > 10_000 ? 0 : sampleToChunk.readUInt32BE(4) },
    (_, n) => ({
      first: sampleToChunk.readUInt32BE(8 + 12 * n),
      samples: sampleToChunk.readUInt32BE(12 + 12 * n),
    }),
  )
  const ranges: { position: number; length: number }[] = []
  for (let chunk = 1; chunk <= chunkCount && ranges.length < count; chunk++) {
    let position = chunkOffsets
      ? chunkOffsets.readUInt32BE(4 + 4 * chunk)
      : Number(longChunkOffsets?.readBigUInt64BE(8 * chunk))
    const samples = runs.findLast(({ first }) => first <= chunk)?.samples ?? 0
    for (let n = 0; n < samples && ranges.length < count; n++) {
      const length = sizeOf(ranges.length)
      ranges.push({ position, length })
      position += length
    }
  }
  return ranges
}

const EBML = { segment: 0x18538067, chapters: 0x1043a770, edition: 0x45b9, atom: 0xb6, hidden: 0x98 } as const
const ATOM = { start: 0x91, end: 0x92, display: 0x80, title: 0x85 } as const

interface Element {
  id: number
  /** Offset of its body. */
  start: number
  length: number
}

/** Matroska element at an offset. A length with all bits set is unknown, and reaches to `end`. */
function elementAt(bytes: Buffer, offset: number, end: number): Element | undefined {
  const idLength = Math.clz32(bytes[offset] ?? 0) - 23
  const sizeLength = Math.clz32(bytes[offset + idLength] ?? 0) - 23
  if (idLength > 4 || sizeLength > 8 || offset + idLength + sizeLength > bytes.length) return undefined
  let length = (bytes[offset + idLength] ?? 0) & (0xff >> sizeLength)
  let isUnknown = length === 0xff >> sizeLength
  for (let n = 1; n < sizeLength; n++) {
    const byte = bytes[offset + idLength + n] ?? 0
    isUnknown &&= byte === 0xff
    length = length * 256 + byte
  }
  const start = offset + idLength + sizeLength
  return { id: bytes.readUIntBE(offset, idLength), start, length: isUnknown ? end - start : length }
}

function elementsIn(bytes: Buffer): { id: number; body: Buffer }[] {
  const elements: { id: number; body: Buffer }[] = []
  for (let offset = 0; offset < bytes.length && elements.length < MAX_PARTS; ) {
    const element = elementAt(bytes, offset, bytes.length)
    if (element === undefined) break
    elements.push({ id: element.id, body: bytes.subarray(element.start, element.start + element.length) })
    offset = element.start + element.length
  }
  return elements
}

async function matroskaChapters({ sizeBytes, read }: FileBytes): Promise<FileChapter[]> {
  let offset = 0
  for (let part = 0; part < MAX_PARTS && offset < sizeBytes; part++) {
    const element = elementAt(await read(offset, 12), 0, sizeBytes - offset)
    if (element === undefined) return []
    if (element.id === EBML.chapters) {
      return element.length > MAX_BYTES ? [] : editionChapters(await read(offset + element.start, element.length))
    }
    offset += element.id === EBML.segment ? element.start : element.start + element.length
  }
  return []
}

function editionChapters(bytes: Buffer): FileChapter[] {
  const edition = elementsIn(bytes).find(({ id }) => id === EBML.edition)?.body
  if (edition === undefined) return []
  return elementsIn(edition).flatMap(({ id, body }) => {
    if (id !== EBML.atom) return []
    const parts = elementsIn(body)
    const bodyOf = (id: number) => parts.find((part) => part.id === id)?.body
    const seconds = (value: Buffer | undefined) =>
      value === undefined || value.length === 0 || value.length > 8
        ? null
        : value.reduce((sum, byte) => sum * 256 + byte, 0) / 1_000_000_000
    if (bodyOf(EBML.hidden)?.at(-1) === 1) return []
    const display = bodyOf(ATOM.display)
    const title = display && elementsIn(display).find((part) => part.id === ATOM.title)?.body
    const startSeconds = seconds(bodyOf(ATOM.start)) ?? 0
    return [{ startSeconds, endSeconds: seconds(bodyOf(ATOM.end)), title: title ? decodeShortText(title) : '' }]
  })
}

/** CHAP frames of an MP3's ID3 tag, as in podcasts. */
async function id3Chapters({ read }: FileBytes): Promise<FileChapter[]> {
  const header = await read(0, 10)
  const version = header[3] ?? 0
  if (header.length < 10 || header.toString('latin1', 0, 3) !== 'ID3' || version < 3) return []
  const tag = await read(10, Math.min(MAX_BYTES, syncsafe(header, 6)))
  return framesIn(tag, version).flatMap(({ id, body }) => {
    const end = body.indexOf(0)
    if (id !== 'CHAP' || end < 0 || end + 17 > body.length) return []
    const title = framesIn(body.subarray(end + 17), version).find((frame) => frame.id === 'TIT2')?.body
    if (title === undefined) return []
    const [startMs, endMs] = [body.readUInt32BE(end + 1), body.readUInt32BE(end + 5)]
    return [{ startSeconds: startMs / 1000, endSeconds: endMs / 1000, title: id3Text(title) }]
  })
}

function framesIn(bytes: Buffer, version: number): { id: string; body: Buffer }[] {
  const frames: { id: string; body: Buffer }[] = []
  for (let offset = 0; offset + 10 <= bytes.length && frames.length < MAX_PARTS; ) {
    const id = bytes.toString('latin1', offset, offset + 4)
    if (!/^[A-Z0-9]{4}$/.test(id)) break
    const size = version === 4 ? syncsafe(bytes, offset + 4) : bytes.readUInt32BE(offset + 4)
    frames.push({ id, body: bytes.subarray(offset + 10, offset + 10 + size) })
    offset += 10 + size
  }
  return frames
}

function id3Text(body: Buffer): string {
  const [encoding, text] = [body[0], body.subarray(1)]
  if (encoding === 2) return new TextDecoder('utf-16be').decode(text)
  return encoding === 0 ? new TextDecoder('windows-1252').decode(text) : decodeShortText(text)
}
