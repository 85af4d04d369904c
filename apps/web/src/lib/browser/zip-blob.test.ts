import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { createZip, mergeZips, ZipProblem } from './zip-blob.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-zip-'))
afterEach(() => vi.unstubAllGlobals())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const text = (content: string) => new Blob([content])

/** Reads an archive with Python's `zipfile`, by file name. */
async function readWithPython(archive: Blob): Promise<Record<string, string>> {
  const filename = join(folder, 'archive.zip')
  writeFileSync(filename, Buffer.from(await archive.arrayBuffer()))
  const program =
    'import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))'
  return JSON.parse(execFileSync('python3', ['-c', program, filename], { encoding: 'utf8' }))
}

test('archives a folder so that other programs can read it', async () => {
  const archive = await createZip([
    { path: 'Photos/Zoë/IMG_1.jpg', file: text('one') },
    { path: 'Photos/empty.txt', file: text('') },
  ])
  expect(await readWithPython(archive)).toEqual({ 'Photos/Zoë/IMG_1.jpg': 'one', 'Photos/empty.txt': '' })
})

test('merges the parts of an export, keeping duplicates once and losing nothing', async () => {
  const parts = await Promise.all([
    createZip([
      { path: 'Takeout/archive.html', file: text('about') },
      { path: 'Takeout/a.jpg', file: text('picture') },
      { path: 'Takeout/same.json', file: text('first') },
    ]),
    createZip([
      { path: 'Takeout/archive.html', file: text('about') },
      { path: 'Takeout/a.jpg.json', file: text('{}') },
      { path: 'Takeout/same.json', file: text('second') },
    ]),
  ])
  expect(await readWithPython(await mergeZips(parts))).toEqual({
    'Takeout/archive.html': 'about',
    'Takeout/a.jpg': 'picture',
    'Takeout/same.json': 'first',
    'Takeout/a.jpg.json': '{}',
    'part-2/Takeout/same.json': 'second',
  })
})

test('rejects a truncated part with ZipProblem', async () => {
  const complete = await createZip([{ path: 'a.jpg', file: text('picture') }])
  await expect(mergeZips([complete, complete.slice(0, complete.size - 30)])).rejects.toBeInstanceOf(ZipProblem)
})

const GIB = 1024 ** 3

/** Blob of any size that stores zeros as a count, since Node's own is limited to 4 GiB. */
class SparseBlob {
  readonly size: number
  /** Bytes, or a number of zeros. */
  readonly pieces: (Uint8Array | number)[]
  constructor(parts: (Uint8Array | ArrayBuffer | string | number | SparseBlob)[]) {
    this.pieces = parts.flatMap((part) => {
      if (part instanceof SparseBlob) return part.pieces
      if (typeof part === 'string') return [Buffer.from(part)]
      return [part instanceof ArrayBuffer ? new Uint8Array(part) : part]
    })
    this.size = this.pieces.reduce<number>((sum, piece) => sum + sizeOf(piece), 0)
  }
  slice(from = 0, to = this.size): SparseBlob {
    let offset = 0
    return new SparseBlob(
      this.pieces.flatMap((piece): (Uint8Array | number)[] => {
        const [start, end] = [Math.max(0, from - offset), Math.min(sizeOf(piece), to - offset)]
        offset += sizeOf(piece)
        if (end <= start) return []
        return typeof piece === 'number' ? [end - start] : [piece.subarray(start, end)]
      }),
    )
  }
  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(this.size)
    let offset = 0
    for (const piece of this.pieces) {
      if (typeof piece !== 'number') bytes.set(piece, offset)
      offset += sizeOf(piece)
    }
    return bytes.buffer
  }
}

const sizeOf = (piece: Uint8Array | number) => (typeof piece === 'number' ? piece : piece.length)

/** Little-endian numbers of 2, 4 or 8 bytes each. */
function numbers(...all: [value: number, bytes: 2 | 4 | 8][]): Buffer {
  return Buffer.concat(
    all.map(([value, bytes]) => {
      const buffer = Buffer.alloc(8)
      buffer.writeBigUInt64LE(BigInt(value))
      return buffer.subarray(0, bytes)
    }),
  )
}

/** Writes pieces of a sparse file. */
async function sparseFile(name: string, pieces: [offset: number, bytes: Uint8Array][]): Promise<string> {
  const filename = join(folder, name)
  const file = await open(filename, 'w')
  for (const [offset, bytes] of pieces) await file.write(bytes, 0, bytes.length, offset)
  await file.close()
  return filename
}

/** Zip64 archive of a 5 GiB video of zeros, followed by a small file. */
function archiveBeyond4GiB(): Blob {
  const [zip64Marker, videoBytes] = [0xffff_ffff, 5 * GIB]
  const content = Buffer.from('behind the film')
  const checksum = crc32(content)
  const videoHeader = Buffer.concat([
    numbers(
      [0x04034b50, 4],
      [45, 2],
      [0, 2],
      [0, 2],
      [0x0021_0000, 4],
      [0, 4],
      [zip64Marker, 4],
      [zip64Marker, 4],
      [8, 2],
      [20, 2],
    ),
    Buffer.from('film.mov'),
    numbers([1, 2], [16, 2], [videoBytes, 8], [videoBytes, 8]),
  ])
  const start = videoHeader.length + videoBytes
  const sizes: [number, 4][] = [
    [content.length, 4],
    [content.length, 4],
  ]
  const smallFile = Buffer.concat([
    numbers([0x04034b50, 4], [45, 2], [0, 2], [0, 2], [0x0021_0000, 4], [checksum, 4], ...sizes, [10, 2], [0, 2]),
    Buffer.from('behind.txt'),
    content,
  ])
  const centralEntry = (crc: number, bytes: number, name: string, extra: Buffer, offset: number) =>
    Buffer.concat([
      numbers([0x02014b50, 4], [45, 2], [45, 2], [0, 2], [0, 2], [0x0021_0000, 4], [crc, 4]),
      numbers([bytes, 4], [bytes, 4], [name.length, 2], [extra.length, 2], [0, 2], [0, 2], [0, 2], [0, 4]),
      numbers([offset, 4]),
      Buffer.from(name),
      extra,
    ])
  const central = Buffer.concat([
    centralEntry(0, zip64Marker, 'film.mov', numbers([1, 2], [16, 2], [videoBytes, 8], [videoBytes, 8]), 0),
    centralEntry(checksum, content.length, 'behind.txt', numbers([1, 2], [8, 2], [start, 8]), zip64Marker),
  ])
  const centralOffset = start + smallFile.length
  const end = Buffer.concat([
    numbers([0x06064b50, 4], [44, 8], [45, 2], [45, 2], [0, 4], [0, 4], [2, 8], [2, 8], [central.length, 8]),
    numbers([centralOffset, 8], [0x07064b50, 4], [0, 4], [centralOffset + central.length, 8], [1, 4]),
    numbers([0x06054b50, 4], [0, 2], [0, 2], [0xffff, 2], [0xffff, 2], [zip64Marker, 4], [zip64Marker, 4], [0, 2]),
  ])
  return new SparseBlob([videoHeader, videoBytes, smallFile, central, end]) as unknown as Blob
}

test('merges parts over 4 GiB so that other programs can read the archive, without copying their bytes', async () => {
  vi.stubGlobal('Blob', SparseBlob)
  const parts = [archiveBeyond4GiB(), await createZip([{ path: 'Photos/Zoë.jpg', file: text('picture') }])]
  const merged = await mergeZips(parts)
  expect(merged.size).toBeGreaterThan(5 * GIB)
  // everything but the video, in its original position
  const from = 5 * GIB
  const filename = await sparseFile('merged.zip', [
    [0, new Uint8Array(await merged.slice(0, 1000).arrayBuffer())],
    [from, new Uint8Array(await merged.slice(from).arrayBuffer())],
  ])
  const program = `import json,sys,zipfile
z = zipfile.ZipFile(sys.argv[1])
z.open('film.mov').read(1)
small = {n: z.read(n).decode() for n in z.namelist() if n != 'film.mov'}
print(json.dumps([z.getinfo('film.mov').file_size, small]))`
  expect(JSON.parse(execFileSync('python3', ['-c', program, filename], { encoding: 'utf8' }))).toEqual([
    5 * GIB,
    { 'behind.txt': 'behind the film', 'Photos/Zoë.jpg': 'picture' },
  ])
  await expect(mergeZips([merged.slice(0, merged.size - 150)])).rejects.toBeInstanceOf(ZipProblem)
})

test('archives more files than a plain zip can count', { timeout: 30_000 }, async () => {
  vi.stubGlobal('Blob', SparseBlob)
  const files = Array.from({ length: 65_600 }, (_, n) => ({ path: `${n}`, file: text('') }))
  const filename = join(folder, 'many.zip')
  writeFileSync(filename, Buffer.from(await (await createZip(files)).arrayBuffer()))
  const program = 'import sys,zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))'
  expect(execFileSync('python3', ['-c', program, filename], { encoding: 'utf8' })).toBe('65600\n')
})
