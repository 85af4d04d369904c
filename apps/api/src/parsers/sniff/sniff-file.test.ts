import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { writeBmp } from '../../../test/bmp-files.ts'
import { zipOf } from '../../../test/document-files.ts'
import { fastestMs } from '../../../test/fastest.ts'
import { phonePicture } from '../../../test/phone-pictures.ts'
import { plainImage } from '../../../test/pictures.ts'
import { writeArw, writeCr2, writeCr3, writeDng, writeNef } from '../../../test/raw-files.ts'
import { asf, fileStarts, matroska, mp4 } from '../../../test/small-files.ts'
import { sniffFile } from './sniff.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-sniff-'))
afterAll(() => rmSync(folder, { recursive: true }))

let fileCount = 0
const sniff = (content: Uint8Array | string) => {
  const filename = join(folder, String(fileCount++))
  writeFileSync(filename, content)
  return sniffFile(filename)
}
const typeOf = async (content: Uint8Array | string) => {
  const sniffed = await sniff(content)
  return sniffed.mediaType === null ? sniffed : `${sniffed.mediaType} ${sniffed.format} ${sniffed.contentType}`
}

test.each(['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const)('detects an image: %s', async (format) => {
  const extension = { jpeg: 'jpg', tiff: 'tif' }[format as string] ?? format
  expect(await typeOf(await plainImage({ format }))).toBe(`image ${extension} image/${format}`)
})

test('detects a BMP image, but not by two letters alone', async () => {
  expect(await typeOf(writeBmp([[0xff0000, 0xff]], { bitsPerPixel: 24 }))).toBe('image bmp image/bmp')
  expect(await sniff(Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)]))).toEqual({ mediaType: null, kind: null })
})

const phoneImages: Record<string, [Buffer, string]> = {
  HEIC: [phonePicture('phone.heic'), 'image heic image/heic'],
  'a HEIC sequence': [phonePicture('sequence.heic'), 'image heic image/heic'],
  'HEIF coded as AV1': [phonePicture('av1.heif'), 'image avif image/avif'],
  'an animated AVIF': [phonePicture('moving.avif'), 'image avif image/avif'],
  'JPEG XL in a container': [phonePicture('phone.jxl'), 'image jxl image/jxl'],
  'JPEG XL without a container': [phonePicture('plain.jxl'), 'image jxl image/jxl'],
  DNG: [writeDng({ jpeg: null }), 'image dng image/x-adobe-dng'],
  CR2: [writeCr2({ jpeg: Buffer.alloc(9) }), 'image cr2 image/x-canon-cr2'],
  CR3: [writeCr3({ jpeg: Buffer.alloc(9) }), 'image cr3 image/x-canon-cr3'],
  NEF: [writeNef({ jpeg: Buffer.alloc(9) }), 'image nef image/x-nikon-nef'],
  ARW: [writeArw({ jpeg: Buffer.alloc(9) }), 'image arw image/x-sony-arw'],
}
test.each(Object.entries(phoneImages))('detects an image of a phone or camera: %s', async (_name, [content, type]) => {
  expect(await typeOf(content)).toBe(type)
})

const videos: Record<string, [Buffer, string]> = {
  mp4: [mp4('isom', ['soun', 'vide']), 'video mp4 video/mp4'],
  'mp4 of an Apple player': [mp4('M4V ', ['vide']), 'video mp4 video/mp4'],
  mov: [mp4('qt  ', ['vide', 'soun']), 'video mov video/quicktime'],
  mkv: [matroska('matroska', [1, 2]), 'video mkv video/x-matroska'],
  webm: [matroska('webm', [2, 1]), 'video webm video/webm'],
  'wmv with its sound first': [asf(['audio', 'video']), 'video asf video/x-ms-wmv'],
  avi: [fileStarts.avi, 'video avi video/x-msvideo'],
  flv: [fileStarts.flv, 'video flv video/x-flv'],
  'ogg with Theora': [fileStarts.theora, 'video ogg video/ogg'],
  'mp4 without information about its tracks': [mp4('isom', []), 'video mp4 video/mp4'],
}
test.each(Object.entries(videos))('detects a video: %s', async (_name, [content, type]) => {
  expect(await typeOf(content)).toBe(type)
})

const recordings: Record<string, [Buffer, string]> = {
  m4a: [mp4('M4A ', ['soun']), 'audio m4a audio/mp4'],
  'mp4 without video': [mp4('isom', ['soun']), 'audio m4a audio/mp4'],
  'webm of a microphone': [matroska('webm', [2]), 'audio webm audio/webm'],
  wma: [asf(['audio']), 'audio asf audio/x-ms-wma'],
  wav: [fileStarts.wav, 'audio wav audio/wav'],
  flac: [fileStarts.flac, 'audio flac audio/flac'],
  ogg: [fileStarts.ogg, 'audio ogg audio/ogg'],
  opus: [fileStarts.opus, 'audio ogg audio/ogg'],
  aac: [fileStarts.aac, 'audio aac audio/aac'],
  mp3: [fileStarts.mp3, 'audio mp3 audio/mpeg'],
  'mp2 of a broadcast': [fileStarts.mp2, 'audio mp3 audio/mpeg'],
  'mp3 with tags': [fileStarts.taggedMp3, 'audio mp3 audio/mpeg'],
  'mp3 with padding after its tags': [fileStarts.filledMp3, 'audio mp3 audio/mpeg'],
}
test.each(Object.entries(recordings))('detects a recording: %s', async (_name, [content, type]) => {
  expect(await typeOf(content)).toBe(type)
})

test('detects a PDF, even after blank lines', async () => {
  expect(await typeOf(fileStarts.pdf)).toBe('document pdf application/pdf')
  expect(await typeOf(Buffer.concat([Buffer.from('\r\n\r\n'), fileStarts.pdf]))).toBe('document pdf application/pdf')
  expect(await typeOf('HTTP/1.1 200 OK\n\n%PDF-1.4\n1 0 obj\n<<>>\nendobj\n')).toBe('document pdf application/pdf')
})

describe('text', () => {
  const texts: Record<string, Uint8Array | string> = {
    'in UTF-8': 'Grüße aus Köln — 京都 🎉\n',
    'with a UTF-8 byte order mark': '\ufeffHello\r\n',
    'in little-endian UTF-16': Buffer.from('\ufeffHello, 世界', 'utf16le'),
    'in big-endian UTF-16': Buffer.from('\ufeffHello, 世界', 'utf16le').swap16(),
    'in Latin-1': Buffer.from('Stra\xdfe, caf\xe9, ma\xf1ana\n', 'latin1'),
    'in Windows Cyrillic': Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x20, 0xec, 0xe8, 0xf0, 0x21]),
    'in EUC-JP, without spaces': Buffer.from(
      'c3cfb0e8a4cec4eda4cfb6e1a4afa4cbbdbba4e0bfcda4bfa4c1a4cec4eda4c7a4b9a1a30a',
      'hex',
    ),
    'in GBK, longer than both samples, with a character cut at the start of the last': Buffer.from(
      `${'cfd6d4dab3a3d3c3b5c4b7b1cce5d7d6'.repeat(4)}a1a30d0a`.repeat(3000),
      'hex',
    ),
    'that mentions the header of a PDF': 'Magic numbers: PNG 89 50 4E 47, PDF %PDF-1.7',
    'in Latin-1 that mentions the header of a PDF': Buffer.from('Gro\xdf: %PDF-1.7', 'latin1'),
    'of a contact in Latin-1': Buffer.from('BEGIN:VCARD\r\nFN:K\xe4the\r\nEND:VCARD\r\n', 'latin1'),
    'of LaTeX in Latin-1': Buffer.from('%!TEX root = main.tex\nStra\xdfe\n', 'latin1'),
    'of a terminal, with colours': '\u001b[31mred\u001b[0m\n',
    'of one letter': 'x',
    'that starts like a program': 'MZ is the beginning of names of programs.',
    'that starts like an image': 'BM, the abbreviation.',
    'that starts like a recording': 'ID3 tags are a chapter of their own.',
    'with characters cut at the ends of samples': `a${'é'.repeat(100_000)}`,
    'with line ends, page breaks and an end-of-file character': 'one\r\ntwo\f\ttab\u001a',
  }
  test.each(Object.entries(texts))('is detected: %s', async (_name, content) => {
    expect(await sniff(content)).toEqual({
      mediaType: 'document',
      format: 'txt',
      contentType: 'text/plain',
      text: 'plain',
    })
  })

  const kinds: Record<string, [string, string]> = {
    HTML: ['<!doctype html><script>alert(1)</script>', 'HTML'],
    'HTML after comments': [`  <!-- x -->\n<!-- y --><HTML lang="en">`, 'HTML'],
    SVG: ['<?xml version="1.0"?><!-- a --><!DOCTYPE svg PUBLIC "x"><svg onload="alert(1)">', 'SVG'],
    XML: ['<?xml version="1.0"?><feed/>', 'XML'],
    'a playlist': ['#EXTM3U\nhttp://169.254.169.254/', 'playlist'],
    RTF: ['{\\rtf1\\ansi Hello}', 'RTF'],
    'a PostScript file': ['%!PS-Adobe-3.0\n', 'PostScript'],
  }
  test('in Latin-1 that starts like XML is as special as in UTF-8', async () => {
    const xml = '<?xml version="1.0" encoding="iso-8859-1"?>\n'
    const page = `${xml}<!DOCTYPE html>\n<html><p>K\xe4the</p></html>`
    expect(await sniff(Buffer.from(page, 'latin1'))).toMatchObject({ format: 'txt', text: 'XML' })
    const workbook = `${xml}<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">K\xe4the</Workbook>`
    expect(await sniff(Buffer.from(workbook, 'latin1'))).toMatchObject({ format: 'txt', text: 'workbook' })
  })

  test.each(Object.entries(kinds))('of a special kind is named: %s', async (_name, [content, text]) => {
    expect(await sniff(content)).toMatchObject({ format: 'txt', text })
  })

  test('that is made to be slow is detected quickly', async () => {
    const fastest = await fastestMs(async () => {
      await sniff(`<?xml?>${'<!---->'.repeat(10_000)}`)
      await sniff('<!--'.repeat(20_000))
      await sniff(`<${' '.repeat(100_000)}`)
    })
    expect(fastest).toBeLessThan(2000)
  })
})

const unsupported: Record<string, [Uint8Array, string | null]> = {
  'an archive': [fileStarts.zip, 'ZIP'],
  'a program': [fileStarts.elf, 'ELF'],
  'a compressed file': [fileStarts.gzip, 'GZ'],
  'meaningless bytes': [Buffer.from([0, 1, 2, 3, 0xff, 0xfe]), null],
  'an image cut off after its first bytes': [Buffer.from([0xff, 0xd8]), null],
  'text with a NUL character': [Buffer.from('abc\0def'), null],
  'text that turns into binary data': [Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.alloc(10)]), null],
}
test.each(Object.entries(unsupported))('refuses %s, naming its kind if known', async (_name, [content, kind]) => {
  expect(await sniff(content)).toEqual({ mediaType: null, kind })
})

const appleArchives: [name: string, kind: string][] = [
  ['Index/Document.iwa', 'iWork'],
  ['Metadata/BuildVersionHistory.plist', 'iWork'],
  ['index.apxl', 'iWork'],
  ['Plan.pages/Index.zip', 'iWork'],
  ['backup/Index.zip', 'ZIP'],
  ['site/pages/Index/Document.iwa', 'ZIP'],
  ['Documents/Plan.pages/Index.zip', 'ZIP'],
]
test.each(appleArchives)(
  'an archive with %s is an Apple document only where such documents have it',
  async (name, kind) => {
    expect(await sniff(await zipOf({ [name]: 'x' }))).toEqual({ mediaType: null, kind })
  },
)

test('judges files with changed and missing bytes without an error', async () => {
  let seed = 7
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const real = [mp4('isom', ['vide']), matroska('webm', [1]), asf(['video']), ...Object.values(fileStarts)]
  for (let round = 0; round < 200; round++) {
    const content = Buffer.from(real[round % real.length] as Buffer)
    for (let change = 0; change < 8; change++) content[Math.floor(random() * content.length)] = random() * 256
    const sniffed = await sniff(content.subarray(0, Math.ceil(random() * content.length)))
    expect(sniffed).toHaveProperty('mediaType')
  }
})
