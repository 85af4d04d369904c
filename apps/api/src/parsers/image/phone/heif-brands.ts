const AV1 = new Set(['avif', 'avis'])
const HEIF = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'hevm', 'hevs', 'mif1', 'msf1', 'miaf'])
const MAX_BRANDS = 32

/**
 * Format of a HEIF file by its beginning (ISO/IEC 23008-12, 10): its major brand decides, or, when that is generic, the
 * presence of an AV1 brand. Null for films and all else.
 */
export function heifFormatOf(head: Uint8Array): 'avif' | 'heic' | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length)
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return null
  const major = bytes.toString('latin1', 8, 12)
  if (AV1.has(major)) return 'avif'
  if (!HEIF.has(major)) return null
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 16 + 4 * MAX_BRANDS)
  const others: string[] = []
  for (let offset = 16; offset + 4 <= end; offset += 4) others.push(bytes.toString('latin1', offset, offset + 4))
  const isGeneral = major === 'mif1' || major === 'msf1' || major === 'miaf'
  return isGeneral && others.some((brand) => AV1.has(brand)) ? 'avif' : 'heic'
}
