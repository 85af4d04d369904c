/** RAW files as cameras build them, as far as is read of them; the picture of the sensor is nothing but noise. */

interface RawOptions {
  /** The picture that the camera put in; none when it is null. */
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

/** A TIFF with a chain of directories; those of the tag SubIFDs are inside the first one. */
function tiff(
  folders: (at: (data: 'jpeg' | 'sensor') => number) => { chain: Entry[][]; inside: Entry[][]; exif: Entry[] },
  { jpeg, head = Buffer.alloc(0) }: { jpeg: Buffer; head?: Buffer },
): Buffer {
  // how long it is does not depend on where things are: the second time, these are known
  const lay = (jpegAt: number, sensorAt: number) => {
    const { chain, inside, exif } = folders((data) => (data === 'jpeg' ? jpegAt : sensorAt))
    let at = 8 + head.length
    const parts: Buffer[] = []
    const place = (entries: Entry[], next: (end: number) => number) => {
      const made = folder(entries, at, next)
      parts.push(made)
      at += made.length
    }
    const starts = [...inside, exif].map((entries) => {
      const start = at
      place(entries, () => 0)
      return start
    })
    const first = at
    for (const [index, entries] of chain.entries()) {
      const links: Entry[] =
        index > 0 ? [] : [[0x14a, LONG, starts.slice(0, -1)] as Entry, [0x8769, LONG, starts.at(-1) as number] as Entry]
      place(sorted([...entries, ...links.filter(([, , value]) => !Array.isArray(value) || value.length > 0)]), (end) =>
        index === chain.length - 1 ? 0 : end,
      )
    }
    const header = Buffer.from('II*\0\0\0\0\0', 'latin1')
    header.writeUInt32LE(first, 4)
    return Buffer.concat([header, head, ...parts])
  }
  const length = lay(0, 0).length
  return Buffer.concat([lay(length, length + jpeg.length), jpeg, SENSOR])
}

const sorted = (entries: Entry[]) => entries.toSorted(([one], [other]) => one - other)

function folder(entries: Entry[], start: number, next: (end: number) => number): Buffer {
  const head = Buffer.alloc(2 + entries.length * 12 + 4)
  head.writeUInt16LE(entries.length)
  const outside: Buffer[] = []
  let outsideAt = start + head.length
  for (const [index, [tag, type, given]] of entries.entries()) {
    const value = encoded(type, given)
    const at = 2 + index * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(value.length / (type === SHORT ? 2 : type === LONG ? 4 : 1), at + 4)
    if (value.length <= 4) value.copy(head, at + 8)
    else {
      head.writeUInt32LE(outsideAt, at + 8)
      outside.push(value)
      outsideAt += value.length
    }
  }
  head.writeUInt32LE(next(outsideAt), head.length - 4)
  return Buffer.concat([head, ...outside])
}

function encoded(type: number, value: Value): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'string') return Buffer.from(`${value}\0`, 'latin1')
  const numbers = [value].flat()
  const made = Buffer.alloc(numbers.length * (type === SHORT ? 2 : 4))
  for (const [index, number] of numbers.entries()) {
    if (type === SHORT) made.writeUInt16LE(number, index * 2)
    else made.writeUInt32LE(number, index * 4)
  }
  return made
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
const sensor = (at: number): Entry[] => [
  [0x100, LONG, 6000],
  [0x101, LONG, 4000],
  [0x103, SHORT, 7],
  [0x106, SHORT, 32_803],
  [0x111, LONG, at],
  [0x117, LONG, SENSOR.length],
]
/** A JPEG as the strip of a picture of its own. */
const strip = (at: number, length: number): Entry[] => [
  [0x103, SHORT, 7],
  [0x106, SHORT, 6],
  [0x111, LONG, at],
  [0x117, LONG, length],
]
/** A JPEG as the small picture beside another one. */
const thumbnail = (at: number, length: number): Entry[] => [
  [0x201, LONG, at],
  [0x202, LONG, length],
]

/** Adobe's: the sensor and the preview lie in folders inside the first one. */
export function writeDng({ jpeg, orientation = 1, claimedBytes, xmp = '' }: RawOptions): Buffer {
  const length = claimedBytes ?? jpeg?.length ?? 0
  return tiff(
    (at) => ({
      chain: [
        [
          ...camera('Leica', 'Q3', orientation),
          ...(xmp === '' ? [] : [[700, 1, Buffer.from(xmp)] satisfies Entry]),
          [0xc612, 1, Buffer.from([1, 4, 0, 0])],
        ],
      ],
      inside: [sensor(at('sensor')), ...(jpeg ? [strip(at('jpeg'), length)] : [])],
      exif,
    }),
    { jpeg: jpeg ?? Buffer.alloc(0) },
  )
}

/** Canon's older: the preview is the first picture, the sensor the last one, called a JPEG as well. */
export function writeCr2({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  return tiff(
    (at) => ({
      chain: [
        [...camera('Canon', 'Canon EOS 90D', orientation), ...strip(at('jpeg'), jpeg.length)],
        [
          [0x103, SHORT, 6],
          [0x111, LONG, at('sensor')],
          [0x117, LONG, SENSOR.length],
        ],
      ],
      inside: [],
      exif,
    }),
    { jpeg, head: Buffer.from('CR\x02\0\0\0\0\0', 'latin1') },
  )
}

/** Nikon's: folders inside the first one hold the JPEG and the sensor. */
export function writeNef({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  return tiff(
    (at) => ({
      chain: [camera('NIKON CORPORATION', 'NIKON Z 8', orientation)],
      inside: [thumbnail(at('jpeg'), jpeg.length), sensor(at('sensor'))],
      exif,
    }),
    { jpeg },
  )
}

/** Sony's: the JPEG stands beside the first picture, the sensor inside it. */
export function writeArw({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  return tiff(
    (at) => ({
      chain: [[...camera('SONY', 'ILCE-7M4', orientation), ...thumbnail(at('jpeg'), jpeg.length)]],
      inside: [sensor(at('sensor'))],
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

/** Canon's newer: boxes as in a film, a track for each picture. */
export function writeCr3({ jpeg, orientation = 1 }: RawOptions & { jpeg: Buffer }): Buffer {
  const block = (entries: Entry[]) => {
    const header = Buffer.from('II*\0\x08\0\0\0', 'latin1')
    return Buffer.concat([header, folder(sorted(entries), 8, () => 0)])
  }
  const numbers = (...values: number[]) => {
    const made = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) made.writeUInt32BE(value, index * 4)
    return made
  }
  const file = (jpegAt: number) => {
    const facts = box(
      'uuid',
      Buffer.from('85c0b687820f11e08111f4ce462b6a48', 'hex'),
      box('CMT1', block(camera('Canon', 'Canon EOS R5', orientation))),
      box('CMT2', block(exif)),
    )
    const table = box('stbl', box('stsz', numbers(0, 0, 1, jpeg.length)), box('co64', numbers(0, 1, 0, jpegAt)))
    const track = box('trak', box('mdia', box('minf', table)))
    const start = Buffer.concat([
      box('ftyp', Buffer.from('crx \0\0\0\x01crx isom', 'latin1')),
      box('moov', facts, track),
    ])
    return { start, jpegAt: start.length + 8 }
  }
  return Buffer.concat([file(file(0).jpegAt).start, box('mdat', jpeg, SENSOR)])
}
