// Builds ZIP archives from files on the user's disk without reading them into memory: a `Blob` only references parts of files.

/** A file and its path in an archive. */
interface ZippedFile {
  path: string
  file: Blob
}

/** Thrown for a file that is truncated, damaged or not a ZIP archive. */
export class ZipProblem extends Error {
  override name = 'ZipProblem'
}

interface Entry {
  name: Uint8Array<ArrayBuffer>
  flags: number
  method: number
  /** Time and date in MS-DOS format. */
  dosTime: number
  checksum: number
  compressedBytes: number
  sizeBytes: number
  start: number
}

// Signatures of the records of an archive.
const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END_64 = 0x06064b50
const LOCATOR_64 = 0x07064b50
/** Id of the ZIP64 extra field. */
const EXTRA_64 = 1
const MAX_UINT16 = 0xffff
const MAX_UINT32 = 0xffff_ffff
const END_BYTES = 22
const LOCATOR_BYTES = 20
const END_64_BYTES = 56
const CENTRAL_BYTES = 46
const LOCAL_BYTES = 30
const COMMENT_MAX_BYTES = 0xffff
const CENTRAL_MAX_BYTES = 256 * 1024 * 1024
/** Flag for UTF-8 names. */
const UTF_8 = 0x0800
/** Compression method of uncompressed files. */
const STORED = 0
/** ZIP 4.5, the first version with ZIP64. */
const VERSION = 45
const CHUNK_BYTES = 4 * 1024 * 1024
/** 1980-01-01, 00:00, in MS-DOS format. */
const DOS_EPOCH = 0x0021_0000

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

async function checksumOf(file: Blob, signal?: AbortSignal): Promise<number> {
  let value = MAX_UINT32
  for (let start = 0; start < file.size; start += CHUNK_BYTES) {
    signal?.throwIfAborted()
    const bytes = new Uint8Array(await file.slice(start, start + CHUNK_BYTES).arrayBuffer())
    for (const byte of bytes) value = (crcTable[(value ^ byte) & 0xff] as number) ^ (value >>> 8)
  }
  return (value ^ MAX_UINT32) >>> 0
}

/** Encodes numbers as little-endian bytes; each number comes with its length in bytes. */
function littleEndian(...numbers: [value: number, bytes: 2 | 4 | 8][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [, bytes]) => sum + bytes, 0)))
  let offset = 0
  for (const [value, bytes] of numbers) {
    if (bytes === 2) view.setUint16(offset, value, true)
    else if (bytes === 4) view.setUint32(offset, value, true)
    else view.setBigUint64(offset, BigInt(value), true)
    offset += bytes
  }
  return new Uint8Array(view.buffer)
}

const capToUint32 = (value: number) => Math.min(value, MAX_UINT32)

function localHeader({ name, flags, method, dosTime, checksum, compressedBytes, sizeBytes }: Entry): BlobPart[] {
  const isLarge = sizeBytes >= MAX_UINT32
  const extra = isLarge ? littleEndian([EXTRA_64, 2], [16, 2], [sizeBytes, 8], [compressedBytes, 8]) : new Uint8Array()
  const placeholder = isLarge ? MAX_UINT32 : undefined
  const head = littleEndian(
    ...([
      [LOCAL, 4],
      [VERSION, 2],
      [flags, 2],
      [method, 2],
      [dosTime, 4],
      [checksum, 4],
    ] as [number, 2 | 4][]),
    ...([
      [placeholder ?? compressedBytes, 4],
      [placeholder ?? sizeBytes, 4],
      [name.length, 2],
      [extra.length, 2],
    ] as [number, 2 | 4][]),
  )
  return [head, name, extra]
}

function centralHeader(entry: Entry): BlobPart[] {
  const { name, flags, method, dosTime, checksum, compressedBytes, sizeBytes, start } = entry
  const large = [sizeBytes, compressedBytes, start].filter((value) => value >= MAX_UINT32)
  const values = large.map((value): [number, 8] => [value, 8])
  const extra = large.length > 0 ? littleEndian([EXTRA_64, 2], [large.length * 8, 2], ...values) : new Uint8Array()
  const head = littleEndian(
    ...([
      [CENTRAL, 4],
      [VERSION, 2],
      [VERSION, 2],
      [flags, 2],
      [method, 2],
      [dosTime, 4],
    ] as [number, 2 | 4][]),
    ...([
      [checksum, 4],
      [capToUint32(compressedBytes), 4],
      [capToUint32(sizeBytes), 4],
      [name.length, 2],
    ] as [number, 2 | 4][]),
    ...([
      [extra.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [capToUint32(start), 4],
    ] as [number, 2 | 4][]),
  )
  return [head, name, extra]
}

/** Appends the central directory to the pieces of an archive. */
function withDirectory(pieces: BlobPart[], entries: Entry[], size: number): Blob {
  const central = new Blob(entries.flatMap(centralHeader))
  const count = entries.length
  const end64 = littleEndian(
    ...([
      [END_64, 4],
      [END_64_BYTES - 12, 8],
      [VERSION, 2],
      [VERSION, 2],
      [0, 4],
      [0, 4],
    ] as [number, 2 | 4 | 8][]),
    ...([
      [count, 8],
      [count, 8],
      [central.size, 8],
      [size, 8],
    ] as [number, 8][]),
  )
  const locator = littleEndian([LOCATOR_64, 4], [0, 4], [size + central.size, 8], [1, 4])
  const isLarge = count >= MAX_UINT16 || size + central.size >= MAX_UINT32
  const cappedCount = Math.min(count, MAX_UINT16)
  const end = littleEndian(
    ...([
      [END, 4],
      [0, 2],
      [0, 2],
      [cappedCount, 2],
      [cappedCount, 2],
    ] as [number, 2 | 4][]),
    ...([
      [capToUint32(central.size), 4],
      [isLarge ? MAX_UINT32 : size, 4],
      [0, 2],
    ] as [number, 2 | 4][]),
  )
  return new Blob([...pieces, central, ...(isLarge ? [end64, locator] : []), end], { type: 'application/zip' })
}

/** Creates an archive of uncompressed files; each file is read once, for its checksum. @throws read errors, or the signal's reason. */
export async function createZip(files: ZippedFile[], signal?: AbortSignal): Promise<Blob> {
  const pieces: BlobPart[] = []
  const entries: Entry[] = []
  let start = 0
  for (const { path, file } of files) {
    const name = new TextEncoder().encode(path)
    const checksum = await checksumOf(file, signal)
    const sizes = { compressedBytes: file.size, sizeBytes: file.size }
    const entry = { name, flags: UTF_8, method: STORED, dosTime: DOS_EPOCH, checksum, ...sizes, start }
    const header = new Blob(localHeader(entry))
    pieces.push(header, file)
    entries.push(entry)
    start += header.size + file.size
  }
  return withDirectory(pieces, entries, start)
}

/** Merges the parts of a large export into one archive without unpacking them. @throws ZipProblem */
export async function mergeZips(archives: Blob[]): Promise<Blob> {
  const pieces: BlobPart[] = []
  const entries: Entry[] = []
  const checksumsByName = new Map<string, number>()
  let size = 0
  for (const [part, archive] of archives.entries()) {
    const { entries: archiveEntries, end } = await readCentral(archive)
    const inOrder = archiveEntries.toSorted((a, b) => a.start - b.start)
    for (const [index, entry] of inOrder.entries()) {
      const piece = archive.slice(entry.start, inOrder[index + 1]?.start ?? end)
      const name = new TextDecoder().decode(entry.name)
      const earlierChecksum = checksumsByName.get(name)
      // Files that several parts repeat unchanged are included once.
      if (earlierChecksum === entry.checksum || name.endsWith('/')) continue
      // Different files with the same name are kept apart by a folder for each part.
      const mergedName =
        earlierChecksum === undefined ? entry.name : new TextEncoder().encode(`part-${part + 1}/${name}`)
      checksumsByName.set(name, earlierChecksum ?? entry.checksum)
      const namedPiece = earlierChecksum === undefined ? piece : await renamed(piece, mergedName)
      pieces.push(namedPiece)
      entries.push({
        ...entry,
        name: mergedName,
        flags: earlierChecksum === undefined ? entry.flags : entry.flags | UTF_8,
        start: size,
      })
      size += namedPiece.size
    }
  }
  return withDirectory(pieces, entries, size)
}

/** Replaces the name in the local header of a file's piece of the archive. */
async function renamed(piece: Blob, name: Uint8Array<ArrayBuffer>): Promise<Blob> {
  const head = await piece.slice(0, LOCAL_BYTES).arrayBuffer()
  const view = new DataView(head)
  if (head.byteLength < LOCAL_BYTES || view.getUint32(0, true) !== LOCAL) throw new ZipProblem('its list is damaged')
  const rest = piece.slice(LOCAL_BYTES + view.getUint16(26, true))
  view.setUint16(6, view.getUint16(6, true) | UTF_8, true)
  view.setUint16(26, name.length, true)
  return new Blob([head, name, rest])
}

/** Reads the central directory; `end` is where the files end and the directory begins. @throws ZipProblem */
async function readCentral(archive: Blob): Promise<{ entries: Entry[]; end: number }> {
  const tailStart = Math.max(0, archive.size - END_BYTES - COMMENT_MAX_BYTES - LOCATOR_BYTES)
  const tail = new DataView(await archive.slice(tailStart).arrayBuffer())
  let endOffset = tail.byteLength - END_BYTES
  while (endOffset >= 0 && tail.getUint32(endOffset, true) !== END) endOffset -= 1
  if (endOffset < 0) throw new ZipProblem('it has no end')
  let [count, bytes, start] = [
    tail.getUint16(endOffset + 10, true),
    tail.getUint32(endOffset + 12, true),
    tail.getUint32(endOffset + 16, true),
  ]
  const locator = endOffset - LOCATOR_BYTES
  if (locator >= 0 && tail.getUint32(locator, true) === LOCATOR_64) {
    const endStart = Number(tail.getBigUint64(locator + 8, true))
    const end = new DataView(await archive.slice(endStart, endStart + END_64_BYTES).arrayBuffer())
    if (end.byteLength < END_64_BYTES || end.getUint32(0, true) !== END_64) throw new ZipProblem('it has no end')
    count = Number(end.getBigUint64(32, true))
    bytes = Number(end.getBigUint64(40, true))
    start = Number(end.getBigUint64(48, true))
  }
  if (bytes > CENTRAL_MAX_BYTES || start + bytes > archive.size) throw new ZipProblem('it is cut off')
  const central = new DataView(await archive.slice(start, start + bytes).arrayBuffer())
  const entries: Entry[] = []
  let offset = 0
  for (let n = 0; n < count; n++) {
    if (offset + CENTRAL_BYTES > central.byteLength || central.getUint32(offset, true) !== CENTRAL) {
      throw new ZipProblem('its list is damaged')
    }
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((from) => central.getUint16(offset + from, true))
    const entry: Entry = {
      name: new Uint8Array(central.buffer.slice(offset + CENTRAL_BYTES, offset + CENTRAL_BYTES + (nameBytes ?? 0))),
      flags: central.getUint16(offset + 8, true),
      method: central.getUint16(offset + 10, true),
      dosTime: central.getUint32(offset + 12, true),
      checksum: central.getUint32(offset + 16, true),
      compressedBytes: central.getUint32(offset + 20, true),
      sizeBytes: central.getUint32(offset + 24, true),
      start: central.getUint32(offset + 42, true),
    }
    const extraAt = offset + CENTRAL_BYTES + (nameBytes ?? 0)
    readLargeSizes(central, extraAt, extraAt + (extraBytes ?? 0), entry)
    entries.push(entry)
    offset = extraAt + (extraBytes ?? 0) + (commentBytes ?? 0)
  }
  return { entries, end: start }
}

/** Reads the sizes and the start from the ZIP64 extra field, which lists only those of 4 GiB or more, in this order. */
function readLargeSizes(central: DataView, from: number, to: number, entry: Entry): void {
  for (
    let fieldStart = from;
    fieldStart + 4 <= Math.min(to, central.byteLength);
    fieldStart += 4 + central.getUint16(fieldStart + 2, true)
  ) {
    if (central.getUint16(fieldStart, true) !== EXTRA_64) continue
    let offset = fieldStart + 4
    for (const key of ['sizeBytes', 'compressedBytes', 'start'] as const) {
      if (entry[key] !== MAX_UINT32 || offset + 8 > central.byteLength) continue
      entry[key] = Number(central.getBigUint64(offset, true))
      offset += 8
    }
  }
}
