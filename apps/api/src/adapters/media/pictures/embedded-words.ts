import type { Metadata } from 'sharp'
import { xmpValues } from './xmp-values.ts'

/** Words that programs and cameras wrote into a picture, by what they are; several joined. */
export interface EmbeddedWords {
  title?: string
  description?: string
  keywords?: string
  people?: string
}

/** The blocks beside the camera's own, as texts. */
export interface Embedded {
  /** By property. */
  xmp: Map<string, string[]>
  /** By the number of the dataset in record 2. */
  iptc: Map<number, string[]>
  /** By keyword, in lower case. */
  png: Map<string, string>
}

/** Datasets of record 2 (IPTC-NAA Information Interchange Model 4). */
export const IPTC = { title: 5, keyword: 25, day: 55, time: 60, headline: 105, caption: 120 } as const

const XMP = {
  title: ['dc:title', 'photoshop:Headline'],
  description: ['dc:description', 'exif:UserComment'],
  keywords: ['dc:subject'],
  people: ['Iptc4xmpExt:PersonInImage', 'mwg-rs:Name', 'MPReg:PersonDisplayName'],
}
const XMP_TIMES = ['exif:DateTimeOriginal', 'photoshop:DateCreated', 'exif:DateTimeDigitized', 'xmp:CreateDate']
const xmpNames = new Set([...Object.values(XMP).flat(), ...XMP_TIMES])
/** Limit for one block. */
const MAX_BYTES = 1_000_000
const MAX_DATASETS = 1000
const MAX_CHARACTERS = 1000
/** Cameras write these into every picture. */
const MAKER_TITLE =
  /^(?:OLYMPUS DIGITAL CAMERA|SONY DSC|MINOLTA DIGITAL CAMERA|KONICA MINOLTA.*|DCIM.*|SAMSUNG.*|default|untitled|charset=.*)$/i

/** Reads what a file says beside its EXIF; empty for a file without such blocks. */
export function readEmbedded(metadata: Metadata | null): Embedded {
  const { xmp, iptc, comments = [] } = metadata ?? {}
  return {
    xmp: xmp === undefined || xmp.length > MAX_BYTES ? new Map() : xmpValues(textOf(xmp), xmpNames),
    iptc: iptc === undefined || iptc.length > MAX_BYTES ? new Map() : readIptc(iptc),
    png: new Map(comments.map(({ keyword, text }) => [keyword.toLowerCase(), text])),
  }
}

/** Everything that programs wrote for people, each text once. */
export function wordsOf(exif: Record<string, string>, { xmp, iptc, png }: Embedded): EmbeddedWords {
  const ofXmp = (names: string[]) => names.flatMap((name) => xmp.get(name) ?? [])
  const ofIptc = (dataset: number) => iptc.get(dataset) ?? []
  const all = {
    title: [...ofXmp(XMP.title), ...ofIptc(IPTC.title), ...ofIptc(IPTC.headline), exif.XPTitle, png.get('title')],
    description: [
      ...ofXmp(XMP.description),
      ...ofIptc(IPTC.caption),
      ...[exif.ImageDescription, exif.XPSubject, exif.XPComment, png.get('description'), png.get('comment')],
    ],
    keywords: [...ofXmp(XMP.keywords), ...ofIptc(IPTC.keyword), ...(exif.XPKeywords ?? '').split(';')],
    people: ofXmp(XMP.people),
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, texts]) => {
      const clean = texts.map((text) => (text ?? '').trim()).filter((text) => text !== '' && !MAKER_TITLE.test(text))
      const joined = [...new Set(clean)].join(name === 'keywords' || name === 'people' ? ', ' : '\n')
      return joined === '' ? [] : [[name, joined.slice(0, MAX_CHARACTERS)]]
    }),
  )
}

/** Datasets of record 2 in a block of Photoshop's resources, or in one that holds nothing else. */
function readIptc(block: Buffer): Map<number, string[]> {
  const found = new Map<number, string[]>()
  const resource = block.indexOf('8BIM\x04\x04', 0, 'latin1')
  let at = block.indexOf(0x1c, Math.max(resource, 0))
  for (let count = 0; count < MAX_DATASETS && at >= 0 && at + 5 <= block.length && block[at] === 0x1c; count++) {
    const length = block.readUInt16BE(at + 3)
    // a length beyond this is written another way, which no text needs
    if (length > 0x7fff) break
    const dataset = block[at + 2] ?? 0
    const text = textOf(block.subarray(at + 5, at + 5 + length))
    if (block[at + 1] === 2) found.set(dataset, [...(found.get(dataset) ?? []), text])
    at += 5 + length
  }
  return found
}

/** UTF-8, else Windows-1252, which programs wrote before. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
