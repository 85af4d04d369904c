/** An encoding in which programs wrote tags that say they are Latin-1, and how likely a text is one of it. */
interface LegacyEncoding {
  name: string
  /** Characters that texts of it are mostly made of; what else is not ASCII speaks against it. */
  usual: RegExp
  /** Weight of each of these: large alphabets make sense of anything. */
  weight: number
  /** Characters of which it has some. */
  needs?: RegExp
}

const encodings: LegacyEncoding[] = [
  { name: 'windows-1251', usual: /[а-яёА-ЯЁ]/gu, weight: 1 },
  { name: 'koi8-r', usual: /[а-яёА-ЯЁ]/gu, weight: 1 },
  { name: 'windows-1253', usual: /[α-ωά-ώΑ-ΩΆ-Ώ]/gu, weight: 0.9 },
  { name: 'shift_jis', usual: /[ぁ-ゖァ-ヺー]|[一-龠々]/gu, weight: 1.9 },
  { name: 'euc-jp', usual: /[ぁ-ゖァ-ヺー]|[一-龠々]/gu, weight: 1.95, needs: /[ぁ-ゖァ-ヺ]/u },
  { name: 'euc-kr', usual: /[가-힣]/gu, weight: 1.85 },
  { name: 'gb18030', usual: /[一-龠]/gu, weight: 1.8 },
  { name: 'big5', usual: /[一-龠]/gu, weight: 1.7 },
]
/** A language with Latin letters has so many of its letters without accents. */
const MOST_ACCENTED = 0.4
/** So few bytes tell nothing. */
const LEAST_BYTES = 4
/** Part of a text that makes sense in its encoding, at least. */
const LEAST_SENSE = 0.75

/**
 * Texts that were written in another encoding than the one that they were read in, put right; others as they are.
 * @param texts of one file, which has one encoding.
 */
export function readLegacyTexts(texts: string[]): string[] {
  const doubtful = texts.filter((text) => isDoubtful(text))
  if (doubtful.length === 0) return texts
  const encoding = encodingOf(doubtful)
  if (encoding === null) return texts
  const decoder = new TextDecoder(encoding)
  return texts.map((text) => (isDoubtful(text) ? decoder.decode(Buffer.from(text, 'latin1')) : text))
}

/** Bytes beyond ASCII, each taken for a character. */
function isDoubtful(text: string): boolean {
  return /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text)
}

function encodingOf(texts: string[]): string | null {
  const bytes = Buffer.from(texts.join('\n'), 'latin1')
  if (decode('utf-8', bytes) !== null) return 'utf-8'
  const latin = new TextDecoder('windows-1252').decode(bytes)
  const letters = latin.match(/\p{L}/gu) ?? []
  const accented = letters.filter((letter) => letter > '\u007f').length
  if (accented <= MOST_ACCENTED * letters.length) return 'windows-1252'
  const scores = encodings.map((encoding) => ({ name: encoding.name, score: senseOf(encoding, bytes) }))
  const best = scores.toSorted((one, other) => other.score - one.score)[0]
  return best !== undefined && best.score >= LEAST_SENSE ? best.name : null
}

/** Part of the bytes beyond ASCII that make sense in an encoding, weighed. */
function senseOf({ name, usual, weight, needs }: LegacyEncoding, bytes: Buffer): number {
  const text = decode(name, bytes)
  const high = bytes.filter((byte) => byte > 0x7f).length
  if (text === null || high < LEAST_BYTES || (needs && !needs.test(text))) return 0
  const usualCount = text.match(usual)?.length ?? 0
  // hidden letters of one case in the midst of words tell that another alphabet was meant
  const turned = text.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0
  const odd = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\s]|[ｦ-ﾟ]|[─-▟]|[\uE000-\uF8FF]/gu)?.length ?? 0
  return (weight * usualCount - 3 * turned - 2 * odd) / high
}

function decode(name: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
