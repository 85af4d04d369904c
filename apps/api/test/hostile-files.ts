import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { textPdf } from './pdf-files.ts'
import { noisyImage, plainImage, pngWithClaimedSize } from './pictures.ts'
import { mp4 } from './small-files.ts'
import { createThreeSceneVideo, createVideo, makeRecording, tagMp3 } from './videos.ts'

/** Possible outcome of a file's upload. */
export type HostileOutcome = 'completed' | 'failed' | 'refused with 415' | 'refused with 422'

/** A malicious or damaged file. */
export interface HostileFile {
  title: string
  name: string
  content: Buffer
  /** Several when a part of the file may be recoverable. */
  outcomes: HostileOutcome | HostileOutcome[]
  /** Pattern that one of the errors matches. */
  errorPattern?: RegExp
  /** True when a completed item must have a thumbnail. */
  hasThumbnail?: boolean
  /** Expected stored name. */
  storedName?: RegExp
}

const PDF_PAGES = process.env.TEST_LONG ? 2000 : 300
const BOMB_BYTES = 300_000_000
const maybeRecovered: HostileOutcome[] = ['completed', 'failed']

/** Creates all hostile files; some contain URLs at `trapUrl`, which must never be requested. */
export async function hostileFiles(trapUrl: string): Promise<HostileFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mira-hostile-'))
  try {
    const all = await Promise.all([
      pictures(),
      damagedPictures(),
      documents(trapUrl),
      mislabelledFiles(trapUrl),
      hostileNames(),
    ])
    return [...all.flat(), ...(await videosAndRecordings(folder))]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function pictures(): Promise<HostileFile[]> {
  const grey = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#808890' } }).greyscale()
  return [
    {
      ...{
        title: 'an image that claims billions of pixels',
        name: 'claims.png',
        outcomes: 'failed',
        errorPattern: /pixels/,
      },
      content: await pngWithClaimedSize(60_000, 60_000),
    },
    {
      ...{
        title: 'a small image file with too many pixels',
        name: 'bomb.png',
        outcomes: 'failed',
        errorPattern: /pixels/,
      },
      content: await grey(9000, 9000).png().toBuffer(),
    },
    {
      ...{ title: 'a panorama of 10 000 pixels', name: 'panorama.jpg', outcomes: 'completed', hasThumbnail: true },
      content: await noisyImage({ width: 10_000, height: 1200, sigma: 12, quality: 60 }),
    },
    {
      ...{ title: 'an image one pixel high', name: 'line.png', outcomes: 'completed', hasThumbnail: true },
      content: await grey(4000, 1).png().toBuffer(),
    },
    {
      ...{ title: 'a CMYK image for print', name: 'print.jpg', outcomes: 'completed', hasThumbnail: true },
      content: await sharp(await noisyImage({ width: 300, height: 200 }))
        .toColourspace('cmyk')
        .jpeg()
        .toBuffer(),
    },
    {
      ...{ title: 'a PNG of 16 bits', name: 'deep.png', outcomes: 'completed', hasThumbnail: true },
      content: await sharp(await noisyImage({ width: 301, height: 200 }))
        .toColourspace('rgb16')
        .png()
        .toBuffer(),
    },
    {
      ...{ title: 'a TIFF of 16 bits', name: 'deep.tiff', outcomes: 'completed', hasThumbnail: true },
      content: await sharp(await noisyImage({ width: 302, height: 200 }))
        .toColourspace('rgb16')
        .tiff()
        .toBuffer(),
    },
  ]
}

/** Creates images of each format, truncated early and late, and with bytes changed, the same ones each time. */
async function damagedPictures(): Promise<HostileFile[]> {
  const formats = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const
  // A TIFF's directory is at its end.
  const endOf = (format: string): HostileOutcome[] =>
    format === 'tiff' ? [...maybeRecovered, 'refused with 415'] : maybeRecovered
  const damaged = formats.map(async (format, index): Promise<HostileFile[]> => {
    const whole = await sharp(await noisyImage({ width: 320 + index, height: 240, sigma: 40 }))
      .toFormat(format)
      .toBuffer()
    return [
      {
        title: `a ${format} without its end`,
        name: `end.${format}`,
        content: cut(whole, 0.9),
        outcomes: endOf(format),
      },
      { title: `a ${format} cut in half`, name: `half.${format}`, content: cut(whole, 0.5), outcomes: endOf(format) },
      {
        title: `a ${format} with changed bytes`,
        name: `changed.${format}`,
        content: changed(whole, 40),
        outcomes: maybeRecovered,
      },
    ]
  })
  const start = (await plainImage({ colour: '#123456' })).subarray(0, 20)
  return [
    ...(await Promise.all(damaged)).flat(),
    { title: 'the first bytes of an image', name: 'start.jpg', content: start, outcomes: 'failed', errorPattern: /./ },
  ]
}

async function documents(trapUrl: string): Promise<HostileFile[]> {
  const page = (n: number) => ({ lines: [`This is page ${n} of the book.`], width: 300, height: 400 })
  const pages = (count: number) => Array.from({ length: count }, (_, index) => page(index + 1))
  const whole = await textPdf(pages(6), { compress: false })
  return [
    {
      ...{ title: 'a locked PDF', name: 'locked.pdf', outcomes: 'failed', errorPattern: /password/ },
      content: await textPdf(pages(1), { userPassword: 'x', ownerPassword: 'y' }),
    },
    {
      ...{ title: 'a PDF with hundreds of pages', name: 'book.pdf', outcomes: 'completed', hasThumbnail: true },
      content: await textPdf(pages(PDF_PAGES)),
    },
    { title: 'a PDF without its end', name: 'end.pdf', content: cut(whole, 0.9), outcomes: maybeRecovered },
    { title: 'a PDF cut in half', name: 'half.pdf', content: cut(whole, 0.5), outcomes: maybeRecovered },
    { title: 'a PDF with changed bytes', name: 'changed.pdf', content: changed(whole, 60), outcomes: maybeRecovered },
    { title: 'a PDF with a decompression bomb', name: 'bomb.pdf', content: pdfBomb(), outcomes: maybeRecovered },
    {
      ...{ title: 'a PDF with a cycle in its page tree', name: 'circle.pdf', outcomes: maybeRecovered },
      content: pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1000000000 >>']),
    },
    {
      ...{ title: 'a PDF that opens an address', name: 'opens.pdf', outcomes: maybeRecovered },
      content: pdfOf([
        `<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /URI /URI (${trapUrl}/opened) >> >>`,
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /AA << /O << /S /JavaScript /JS (app.launchURL\\("${trapUrl}/script"\\)) >> >> >>`,
      ]),
    },
    {
      ...{ title: 'a text with a single line of a million characters', name: 'line.txt', outcomes: 'completed' },
      content: Buffer.alloc(1_000_000, 'a'),
    },
  ]
}

async function mislabelledFiles(trapUrl: string): Promise<HostileFile[]> {
  const playlist = `#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:4,\n${trapUrl}/piece.ts\n#EXT-X-ENDLIST\n`
  const picture = await plainImage({ colour: '#334455' })
  const text = Buffer.from('Dear Anna, this is no picture at all.')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg"><image href="${trapUrl}/picture.png"/></svg>`
  const refused = 'refused with 415' as const
  return [
    { title: 'a text named .jpg', name: 'text.jpg', content: text, outcomes: refused, errorPattern: /document/ },
    { title: 'an image named .mp4', name: 'picture.mp4', content: picture, outcomes: refused, errorPattern: /picture/ },
    { title: 'an image named .txt', name: 'picture.txt', content: picture, outcomes: refused, errorPattern: /picture/ },
    {
      ...{ title: 'a playlist named .mp4', name: 'playlist.mp4', outcomes: refused, errorPattern: /playlist/ },
      content: Buffer.from(playlist),
    },
    {
      ...{ title: 'an ffconcat list named .mp4', name: 'list.mp4', outcomes: refused },
      content: Buffer.from(`ffconcat version 1.0\nfile '/etc/passwd'\nfile '${trapUrl}/film.mp4'\n`),
    },
    { title: 'a playlist named .txt', name: 'playlist.txt', content: Buffer.from(playlist), outcomes: 'completed' },
    { title: 'an SVG named .png', name: 'drawing.png', content: Buffer.from(svg), outcomes: refused },
    {
      title: 'an empty video',
      name: 'empty.mp4',
      content: Buffer.alloc(0),
      outcomes: 'refused with 422',
      errorPattern: /empty/,
    },
    {
      title: 'noise named .mp3',
      name: 'noise.mp3',
      content: changed(Buffer.alloc(4000), 4000),
      outcomes: [refused, 'failed'],
    },
  ]
}

async function hostileNames(): Promise<HostileFile[]> {
  const namesByTitle: [title: string, name: string, storedName: RegExp][] = [
    ['a name with a path', '../../../../etc/cron.d/evil.png', /^evil\.png$/],
    ['a name with a Windows path', 'C:/Users/Ana/evil2.png', /^evil2\.png$/],
    ['a name with emoji', '🎂🎉 fête.png', /^🎂🎉 fête\.png$/],
    ['a name of 300 characters', `${'n'.repeat(296)}.png`, /^n{20,251}.*\.png$/],
    ['a name that is only an extension', '.png', /^[^/\\]+$/],
    ['a name with a right-to-left override', 'photo\u202egpj.exe.png', /^[^\u202e/\\]+\.png$/],
    ['a name with HTML tags', '<img src=x onerror=alert(1)>.png', /^[^/\\]+\.png$/],
  ]
  return Promise.all(
    namesByTitle.map(async ([title, name, storedName], index): Promise<HostileFile> => {
      const content = await plainImage({ format: 'png', width: 70 + index })
      return { title, name, content, outcomes: 'completed', hasThumbnail: true, storedName }
    }),
  )
}

async function videosAndRecordings(folder: string): Promise<HostileFile[]> {
  const video = await readFile((await createThreeSceneVideo(folder, 'mp4', { width: 320, height: 180 })).filename)
  const silent = await readFile(
    (await createThreeSceneVideo(folder, 'webm', { name: 'silent', isSilent: true, width: 320, height: 180 })).filename,
  )
  const matroska = await readFile((await createThreeSceneVideo(folder, 'mkv', { width: 320, height: 180 })).filename)
  const { filename: sound } = await makeRecording(folder, 'mp3')
  await tagMp3(sound, { title: 'With a cover', artist: 'Ana', cover: await plainImage({ width: 200, height: 200 }) })
  const recording = await readFile(sound)
  const wav = await readFile(
    await createVideo({
      ...{ filename: join(folder, 'sound.wav'), muxer: 'wav' },
      audio: { codec: 'pcm_s16le', seconds: 2, bursts: [{ start: 0.5, end: 1.5, hertz: 440 }] },
    }),
  )
  const endlessWav = Buffer.from(wav)
  endlessWav.writeUInt32LE(0xffff_fff0, 4)
  const emptyWav = Buffer.from(wav.subarray(0, wav.indexOf('data') + 8))
  emptyWav.writeUInt32LE(0, emptyWav.length - 4)
  return [
    { title: 'a silent video', name: 'silent.webm', content: silent, outcomes: 'completed', hasThumbnail: true },
    {
      title: 'a recording with a cover',
      name: 'cover.mp3',
      content: recording,
      outcomes: 'completed',
      hasThumbnail: true,
    },
    { title: 'a video without content', name: 'nothing.mp4', content: mp4('isom', ['vide']), outcomes: 'failed' },
    {
      title: 'a video without its index',
      name: 'end.mp4',
      content: beforeIndex(video),
      outcomes: 'failed',
      errorPattern: /damaged/,
    },
    { title: 'a video cut in half', name: 'half.mp4', content: cut(video, 0.5), outcomes: maybeRecovered },
    { title: 'a video with changed bytes', name: 'changed.mp4', content: changed(video, 60), outcomes: maybeRecovered },
    { title: 'a Matroska video cut in half', name: 'half.mkv', content: cut(matroska, 0.5), outcomes: maybeRecovered },
    {
      title: 'a Matroska video with changed bytes',
      name: 'changed.mkv',
      content: changed(matroska, 60),
      outcomes: maybeRecovered,
    },
    {
      title: 'a WebM video with changed bytes',
      name: 'changed.webm',
      content: changed(silent, 60),
      outcomes: maybeRecovered,
    },
    { title: 'a recording cut in half', name: 'half.mp3', content: cut(recording, 0.5), outcomes: maybeRecovered },
    {
      title: 'a recording with changed bytes',
      name: 'changed.mp3',
      content: changed(recording, 200),
      outcomes: maybeRecovered,
    },
    {
      title: 'a recording that claims to be endless',
      name: 'endless.wav',
      content: endlessWav,
      outcomes: maybeRecovered,
    },
    { title: 'a recording without samples', name: 'nothing.wav', content: emptyWav, outcomes: maybeRecovered },
  ]
}

const cut = (content: Buffer, share: number) => content.subarray(0, Math.floor(content.length * share))

/** Truncates a video before its index. */
const beforeIndex = (video: Buffer) => video.subarray(0, video.indexOf('moov') - 4)

/** Changes bytes after the magic number; always the same ones. */
function changed(content: Buffer, count: number): Buffer {
  const result = Buffer.from(content)
  let seed = 20_261_120
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return seed >>> 8
  }
  for (let n = 0; n < count; n++) result[16 + (next() % (content.length - 16))] = next() & 0xff
  return result
}

/** Creates a PDF of these objects, of which the first is the catalogue. */
function pdfOf(objects: (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let position = parts[0]?.length ?? 0
  const add = (part: Buffer) => {
    parts.push(part)
    position += part.length
  }
  for (const [index, object] of objects.entries()) {
    offsets.push(position)
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]))
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${position}\n%%EOF\n`
  add(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${table}${trailer}`))
  return Buffer.concat(parts)
}

/** Creates a PDF with a page whose content is small in the file and hundreds of megabytes in memory. */
function pdfBomb(): Buffer {
  const content = deflateSync(Buffer.alloc(BOMB_BYTES, ' '), { level: 1 })
  const stream = [
    Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ]
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>',
    Buffer.concat(stream),
  ])
}
