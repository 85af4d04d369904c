import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** Images in `phone-pictures/`, which `make.sh` there creates. */
type PhonePicture =
  | `${'phone' | 'turned' | 'words' | 'large-words' | 'sequence'}.heic`
  | 'av1.heif'
  | `${'phone' | 'plain'}.jxl`
  | `moving.${'gif' | 'webp' | 'avif'}`

/** A small real image: red on the left and blue on the right, unless it's animated or has text. */
export function phonePicture(name: PhonePicture): Buffer {
  return readFileSync(join(import.meta.dirname, 'phone-pictures', name))
}

const text = (words: string) => Buffer.from(words, 'latin1')
const u8 = (...values: number[]) => Buffer.from(values)
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => u8(value >> 8, value & 0xff)))
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)))

/** A box of a HEIF file; below, a full box of version 0 without flags. */
const box = (type: string, ...content: Buffer[]) => {
  const all = Buffer.concat(content)
  return Buffer.concat([u32(all.length + 8), text(type), all])
}
const fullBox = (type: string, ...content: Buffer[]) => box(type, u32(0), ...content)

/** `phone.jxl` with XMP. */
export const jxlWithXmp = (xmp: string) => Buffer.concat([phonePicture('phone.jxl'), box('xml ', Buffer.from(xmp))])

/** `phone.jxl` with compressed XMP. */
export const jxlWithCompressedXmp = (xmp: Buffer) =>
  Buffer.concat([phonePicture('phone.jxl'), box('brob', text('xml '), xmp)])

/** The first box of a type in a file, at any depth, and its content. */
function boxIn(file: Buffer, type: string): { whole: Buffer; content: Buffer } {
  const start = file.indexOf(type) - 4
  const whole = file.subarray(start, start + file.readUInt32BE(start))
  return { whole, content: whole.subarray(8) }
}

/** EXIF of `phone.jxl`, in the form that HEIC has, too. */
const exifOfPhone = () => brotliDecompressSync(boxIn(phonePicture('phone.jxl'), 'brob').content.subarray(4))

/**
 * An image of two tiles, one above the other, as phones write all their images (ISO/IEC 23008-12, 6.6.2.3): `words.heic` twice,
 * with the EXIF of `phone.jxl`.
 * @param xmp metadata of the whole image, after a block of another program.
 */
export function tiledHeic(xmp: string): Buffer {
  const source = phonePicture('words.heic')
  const { content: tile } = boxIn(source, 'mdat')
  const [width, height] = [640, 160]
  const grid = Buffer.concat([u8(0, 0, 1, 0), u16(width, height * 2)])
  const items: [type: string, content: Buffer, contentType?: string][] = [
    ['grid', grid],
    ['hvc1', tile],
    ['hvc1', tile],
    ['Exif', exifOfPhone()],
    ['mime', Buffer.from('<note>Fog</note>'), 'text/xml'],
    ['mime', Buffer.from(xmp), 'application/rdf+xml'],
  ]
  const properties = box(
    'ipco',
    fullBox('ispe', u32(width, height * 2)),
    fullBox('ispe', u32(width, height)),
    boxIn(source, 'hvcC').whole,
  )
  const associations = fullBox('ipma', u32(3), u16(1), u8(1, 1), u16(2), u8(2, 2, 3), u16(3), u8(2, 2, 3))
  const metaOf = (start: number) => {
    let offset = start
    const extents = items.map(([, content], index) => {
      const extent = Buffer.concat([u16(index + 1, 0, 1), u32(offset, content.length)])
      offset += content.length
      return extent
    })
    return fullBox(
      'meta',
      fullBox('hdlr', u32(0), text('pict'), u32(0, 0, 0), u8(0)),
      fullBox('pitm', u16(1)),
      fullBox('iloc', u8(0x44, 0), u16(items.length), ...extents),
      fullBox(
        'iinf',
        u16(items.length),
        ...items
          .map(([type, , contentType]) => text(`${type}\0${contentType ? `${contentType}\0` : ''}`))
          .map((entry, index) => box('infe', u8(2, 0, 0, 0), u16(index + 1, 0), entry)),
      ),
      fullBox('iref', box('dimg', u16(1, 2, 2, 3)), ...[4, 5, 6].map((id) => box('cdsc', u16(id, 1, 1)))),
      box('iprp', properties, associations),
    )
  }
  const ftyp = box('ftyp', text('heic'), u32(0), text('mif1heic'))
  const meta = metaOf(ftyp.length + metaOf(0).length + 8)
  return Buffer.concat([ftyp, meta, box('mdat', ...items.map(([, content]) => content))])
}
