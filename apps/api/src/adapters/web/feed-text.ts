const MOST_SOURCE_CHARACTERS = 10_000

const namedLetters: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  szlig: 'ß',
  oelig: 'œ',
  OElig: 'Œ',
  aelig: 'æ',
  AElig: 'Æ',
  oslash: 'ø',
  Oslash: 'Ø',
  iexcl: '¡',
  iquest: '¿',
  euro: '€',
  pound: '£',
  deg: '°',
  middot: '·',
  bull: '•',
  copy: '©',
  reg: '®',
  trade: '™',
  shy: '',
}
const accents: Record<string, string> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  uml: '\u0308',
  tilde: '\u0303',
  cedil: '\u0327',
  ring: '\u030a',
}

/** HTML or text of others as one line of plain text without control characters or marks that turn its direction. */
export function plainLine(html: string, mostCharacters: number): string {
  const text = html
    .slice(0, MOST_SOURCE_CHARACTERS)
    .replace(/<(script|style)[\s>][^<]*(?:<\/\1>)?/gi, ' ')
    // inside of a word or before a comma there is no space
    .replace(/<\/?(?:a|abbr|b|code|em|i|mark|q|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>/gi, '')
    .replace(/<!--|-->|<\/?[a-z!?][^<>]*>/gi, ' ')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, decodeEntity)
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  if (text.length <= mostCharacters) return text
  return `${text
    .slice(0, mostCharacters)
    .toWellFormed()
    .replace(/\s+\S*$/, '')}…`
}

function decodeEntity(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name === undefined) {
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
  }
  const letter = namedLetters[name] ?? namedLetters[name.toLowerCase()]
  if (letter !== undefined) return letter
  const accent = accents[name.slice(1)]
  return accent === undefined ? whole : `${name.charAt(0)}${accent}`.normalize('NFC')
}
