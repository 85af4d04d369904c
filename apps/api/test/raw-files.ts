/** RAW files as cameras write them, as far as the parsers read them; the sensor data is a placeholder. */

interface RawOptions {
  /** Preview by the camera; null for none. */
  jpeg: Buffer | null
  /** Orientation (TIFF 6.0, tag 274). */
  orientation?: number
  /** Length of the JPEG as declared in the file; by default its real one. */
  claimedBytes?: number
  xmp?: string
}

type Value = number | number[] | string | Buffer
type Entry = [tag: number, type: number, value: Value]

const SHORT = 3
const LONG = 4
const TEXT = 2
const SENSOR = Buffer.alloc(600, 0x5a)
const TAKEN = '2023:10:01 09:30:00'

/** A TIFF with a chain of directories, the first of which has SubIFDs. */
function tiff(
  directories: (offsetOf: (data: 'jpeg' | 'sensor') => number) => {
    chain: Entry[][]
    inside: Entry[][]
    exif: Entry[]
  },
  { jpeg, head = Buffer.alloc(0) }: { jpeg: Buffer; head?: Buffer },
): Buffer {
  // The length doesn't depend on the offsets: the second pass knows them.
  const layOut = (jpegAt: number, sensorAt: number) => {
    const { chain, inside, exif } = directories((data) => (data === 'jpeg' ? jpegAt : sensorAt))
    let offset = 8 + head.length
    const parts: Buffer[] = []
    const append = (entries: Entry[], next: (end: number) => number) => {
      const bytes = writeDirectory(entries, offset, next)
      parts.push(bytes)
      offset += bytes.length
    }
    const starts = [...inside, exif].map((entries) => {
      const start = offset
      append(entries, () => 0)
      return start
    })
    const first = offset
    for (const [index, entries] of chain.entries()) {
      const links: Entry[] =
        index > 0 ? [] : [[0x14a, LONG, starts.slice(0, -1)] as Entry, [0x8769, LONG, starts.at(-1) as number] as Entry]
      append(
        sorted([...entries, ...links.filter(([, , value]) => !Array.isArray(value) || value.length > 0)]),
        (end) => (index === chain.length - 1 ? 0 : end),
      )
    }
    const header = Buffer.from('II*\0\0\0\0\0', 'latin1')
    header.writeUInt32LE(first, 4)
    return Buffer.concat([header, head, ...parts])
  }
  const length = layOut(0, 0).length
  return Buffer.concat([layOut(length, length + jpeg.length), jpeg, SENSOR])
}

const sorted = (entries: Entry[]) => entries.toSorted(([one], [other]) => one - other)

function writeDirectory(entries: Entry[], start: number, next: (end: number) => number): Buffer {
  const head = Buffer.alloc(2 + entries.length * 12 + 4)
  head.writeUInt16LE(entries.length)
  const outside: Buffer[] = []
  let outsideAt = start + head.length
  for (const [index, [tag, type, content]] of entries.entries()) {
    const value = encode(type, content)
    const offset = 2 + index * 12
    head.writeUInt16LE(tag, offset)
    head.writeUInt16LE(type, offset + 2)
    head.writeUInt32LE(value.length / (type === SHORT ? 2 : type === LONG ? 4 : 1), offset + 4)
    if (value.length <= 4) value.copy(head, offset + 8)
    else {
      head.writeUInt32LE(outsideAt, offset + 8)
      outside.push(value)
      outsideAt += value.length
    }
  }
  head.writeUInt32LE(next(outsideAt), head.length - 4)
  return Buffer.concat([head, ...outside])
}

function encode(type: number, value: Value): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'string') return Buffer.from(`${value}\0`, 'latin1')
  const numbers = [value].flat()
  const bytes = Buffer.alloc(numbers.length * (type === SHORT ? 2 : 4))
  for (const [index, number] of numbers.entries()) {
    if (type === SHORT) bytes.writeUInt16LE(number, index * 2)
    else bytes.writeUInt32LE(number, index * 4)
  }
  return bytes
}

const exif: Entry[] = [
  [0x9003, TEXT, TAKEN],
  [0x9011, TEXT, '+02:00'],
]
const camera = (make: string, model: string, orientation: number): Entry[] => [
  [0x10f, TEXT, make],
  [0x110, TEXT, model],
  [0x112, SHORT, orientation],
]
const sensor = (offset: number): Entry[] => [
  [0x100, LONG, 6000],
  [0x101, LONG, 4000],
  [0x103, SHORT, 7],
  [0x106, SHORT, 32_803],
  [0x111, LONG, offset],
  [0x117, LONG, SENSOR.length],
]
/** Entries of a JPEG as the strip of a separate image. */
const strip = (offset: number, length: number): Entry[] => [
  [0x103, SHORT, 7],
  [0x106, SHORT, 6],
  [0x111, LONG, offset],
  [0x117, LONG, length],
]
/** Entries of a JPEG as the thumbnail of another image. */
const thumbnail = (offset: number, length: number): Entry[] => [
  [0x201, LONG, offset],
  [0x202, LONG, length],
]

/** Writes a DNG (Adobe): SubIFDs have the sensor data and the preview. */
export function writeDng({ jpeg, orientation = 1, claimedBytes, xmp = '' }: RawOptions): Buffer {
  const length = claimedBytes ?? jpeg?.length ?? 0
  return tiff(
    (offsetOf) => ({
      chain: [
        [
          ...camera('Leica', 'Q3', orientation),
          ...(xmp === '' ? [] : [[700, 1, Buffer.from(xmp)] satisfies Entry]),
          [0xc612, 1, Buffer.from([1, 4, 0, 0])],
        ],
      ],
      inside: [sensor(offsetOf('sensor')), ...(jpeg ? [strip(offsetOf('jpeg'), length)] : [])],
      exif,
    }),
    { jpeg: jpeg ?? Buffer.alloc(0) },
  )
}

/** Writes a CR2 (older Canon): the preview is the first image, the sensor data the last one, marked as a JPEG as well. */
export function writeCr2({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  return tiff(
    (offsetOf) => ({
      chain: [
        [...camera('Canon', 'Canon EOS 90D', orientation), ...strip(offsetOf('jpeg'), jpeg.length)],
        [
          [0x103, SHORT, 6],
          [0x111, LONG, offsetOf('sensor')],
          [0x117, LONG, SENSOR.length],
        ],
      ],
      inside: [],
      exif,
    }),
    { jpeg, head: Buffer.from('CR\x02\0\0\0\0\0', 'latin1') },
  )
}

/** Writes a NEF (Nikon): SubIFDs have the JPEG and the sensor data. */
export function writeNef({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  return tiff(
    (offsetOf) => ({
      chain: [camera('NIKON CORPORATION', 'NIKON Z 8', orientation)],
      inside: [thumbnail(offsetOf('jpeg'), jpeg.length), sensor(offsetOf('sensor'))],
      exif,
    }),
    { jpeg },
  )
}

/** Writes an ARW (Sony): the JPEG is the thumbnail of the first image, a SubIFD has the sensor data. */
export function writeArw({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  return tiff(
    (offsetOf) => ({
      chain: [[...camera('SONY', 'ILCE-7M4', orientation), ...thumbnail(offsetOf('jpeg'), jpeg.length)]],
      inside: [sensor(offsetOf('sensor'))],
      exif,
    }),
    { jpeg },
  )
}

const box = (name: string, ...contents: Buffer[]) => {
  const content = Buffer.concat(contents)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.length + 8)
  header.write(name, 4, 'latin1')
  return Buffer.concat([header, content])
}

/** Writes a CR3 (newer Canon): boxes as in an MP4, a track for each image. */
export function writeCr3({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  const block = (entries: Entry[]) => {
    const header = Buffer.from('II*\0\x08\0\0\0', 'latin1')
    return Buffer.concat([header, writeDirectory(sorted(entries), 8, () => 0)])
  }
  const numbers = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
    return bytes
  }
  const file = (jpegAt: number) => {
    const metadata = box(
      'uuid',
      Buffer.from('85c0b687820f11e08111f4ce462b6a48', 'hex'),
      box('CMT1', block(camera('Canon', 'Canon EOS R5', orientation))),
      box('CMT2', block(exif)),
    )
    const table = box('stbl', box('stsz', numbers(0, 0, 1, jpeg.length)), box('co64', numbers(0, 1, 0, jpegAt)))
    const track = box('trak', box('mdia', box('minf', table)))
    const start = Buffer.concat([
      box('ftyp', Buffer.from('crx \0\0\0\x01crx isom', 'latin1')),
      box('moov', metadata, track),
    ])
    return { start, jpegAt: start.length + 8 }
  }
  return Buffer.concat([file(file(0).jpegAt).start, box('mdat', jpeg, SENSOR)])
}
