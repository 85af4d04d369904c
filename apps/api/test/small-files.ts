/** Starts of files, as much as identifies their formats. */

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')))

const box = (name: string, content: Buffer) => {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.length + 8)
  header.write(name, 4, 'latin1')
  return Buffer.concat([header, content])
}
const track = (kind: string) =>
  box('hdlr', bytes([0, 0, 0, 0, 0, 0, 0, 0], kind, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))

/** An MP4 or similar file with tracks of these kinds (vide, soun), and its index after its content. */
export function mp4(brand: string, kinds: string[]): Buffer {
  return Buffer.concat([
    box('ftyp', bytes(brand, [0, 0, 2, 0], 'isom')),
    box('mdat', Buffer.alloc(2000)),
    box('moov', Buffer.concat(kinds.map((kind) => box('trak', track(kind))))),
  ])
}

/** A Matroska file (webm, matroska) with tracks of these kinds: 1 for video, 2 for audio. */
export function matroska(documentType: string, kinds: number[]): Buffer {
  const type = Buffer.from(documentType)
  const head = Buffer.concat([Buffer.from([0x42, 0x82, 0x80 + type.length]), type])
  const tracks = Buffer.concat(kinds.map((kind) => Buffer.from([0xae, 0x83, 0x83, 0x81, kind])))
  return Buffer.concat([
    Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 + head.length]),
    head,
    Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    Buffer.from([0x16, 0x54, 0xae, 0x6b, 0x80 + tracks.length]),
    tracks,
    Buffer.alloc(100),
  ])
}

const asfHeader = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')
const asfStream = Buffer.from('9107dcb7b7a9cf118ee600c00c205365', 'hex')
const asfKinds = {
  video: Buffer.from('c0ef19bc4d5bcf11a8fd00805f5c442b', 'hex'),
  audio: Buffer.from('409e69f84d5bcf11a8fd00805f5c442b', 'hex'),
}

/** A Windows Media file with these streams in this order. */
export function asf(kinds: ('video' | 'audio')[]): Buffer {
  const size = (length: number) => {
    const written = Buffer.alloc(8)
    written.writeBigUInt64LE(BigInt(length))
    return written
  }
  const streams = kinds.map((kind) => Buffer.concat([asfStream, size(78), asfKinds[kind], Buffer.alloc(38)]))
  const all = Buffer.concat(streams)
  return Buffer.concat([
    asfHeader,
    size(30 + all.length),
    Buffer.from([kinds.length, 0, 0, 0, 1, 2]),
    all,
    Buffer.alloc(99),
  ])
}

/** Starts of other binary files. */
export const fileStarts = {
  avi: bytes('RIFF', [0x24, 0x10, 0, 0], 'AVI LIST', Array(100).fill(0)),
  flv: bytes('FLV', [1, 5, 0, 0, 0, 9, 0, 0, 0, 0], Array(100).fill(0)),
  wav: bytes('RIFF', [0x24, 0x10, 0, 0], 'WAVEfmt ', [16, 0, 0, 0, 1, 0, 1, 0], Array(100).fill(0)),
  flac: bytes('fLaC', [0, 0, 0, 34], Array(100).fill(0)),
  ogg: bytes('OggS', [0, 2], Array(20).fill(0), [1, 30], [1], 'vorbis', Array(100).fill(0)),
  opus: bytes('OggS', [0, 2], Array(20).fill(0), [1, 19], 'OpusHead', Array(100).fill(0)),
  theora: bytes('OggS', [0, 2], Array(20).fill(0), [1, 42], [0x80], 'theora', Array(100).fill(0)),
  aac: bytes([0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc], Array(100).fill(0)),
  mp3: bytes([0xff, 0xfb, 0x90, 0x64], Array(500).fill(0)),
  mp2: bytes([0xff, 0xfd, 0x90, 0x64], Array(500).fill(0)),
  taggedMp3: bytes('ID3', [3, 0, 0, 0, 0, 0, 20], Array(20).fill(0), [0xff, 0xfb, 0x90, 0x64], Array(500).fill(0)),
  filledMp3: bytes('ID3', [3, 0, 0, 0, 0, 0, 20], Array(900).fill(0)),
  pdf: bytes('%PDF-1.7\n%', [0xe2, 0xe3, 0xcf, 0xd3], '\n1 0 obj\n'),
  zip: bytes('PK', [3, 4, 20, 0, 0, 0], Array(100).fill(0)),
  elf: bytes([0x7f], 'ELF', [2, 1, 1, 0], Array(100).fill(0)),
  gzip: bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], Array(100).fill(0)),
}
