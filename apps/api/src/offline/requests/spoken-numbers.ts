import type { Language } from '@mira/shared'

/** Number words from zero to nineteen. */
const zeroToNineteen: Record<Language, string> = {
  en: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  de: 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  es: 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
  fr: 'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
}
const tens: Record<Language, string> = {
  en: 'twenty thirty forty fifty sixty seventy eighty ninety',
  de: 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
  es: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
  fr: 'vingt trente quarante cinquante soixante',
}
/** Single words for other numbers. */
const otherNumbers: Partial<Record<Language, Record<string, number>>> = {
  es: {
    ...{ veintiuno: 21, veintiún: 21, veintiun: 21, veintiuna: 21, veintidós: 22, veintidos: 22, veintitrés: 23 },
    ...{ veintitres: 23, veinticuatro: 24, veinticinco: 25, veintiséis: 26, veintiseis: 26, veintisiete: 27 },
    ...{ veintiocho: 28, veintinueve: 29, doscientos: 200, doscientas: 200, trescientos: 300, trescientas: 300 },
    ...{ cuatrocientos: 400, cuatrocientas: 400, quinientos: 500, quinientas: 500, seiscientos: 600 },
    ...{ seiscientas: 600, setecientos: 700, setecientas: 700, ochocientos: 800, ochocientas: 800 },
    ...{ novecientos: 900, novecientas: 900 },
  },
}
const scales: Record<Language, Record<string, number>> = {
  en: { hundred: 100, thousand: 1000, million: 1e6 },
  de: { hundert: 100, tausend: 1000 },
  es: { cien: 100, ciento: 100, mil: 1000 },
  fr: { cent: 100, mille: 1000 },
}

/** Words between tens and ones: "treinta y cinco", "vingt et un". */
const conjunctions: Record<Language, string> = { en: '', de: '', es: 'y', fr: 'et' }
/** Ones after a conjunction that are articles elsewhere: "treinta y un minutos", "vingt et une minutes". */
const onesAfterConjunctions: Record<Language, string[]> = { en: [], de: [], es: ['un', 'una'], fr: ['un', 'une'] }
/** A single word for "quatre-vingts". */
const EIGHTY = 'huitante'

function tableOf(language: Language): Map<string, number> {
  const ones = zeroToNineteen[language].split(' ').map((word, value): [string, number] => [word, value])
  const tenfold = tens[language].split(' ').map((word, index): [string, number] => [word, (index + 2) * 10])
  const table = new Map([...ones, ...tenfold, ...Object.entries({ ...otherNumbers[language], ...scales[language] })])
  if (language === 'fr') table.set(EIGHTY, 80)
  if (language === 'de')
    for (const [ten, value] of tenfold)
      for (const [one, digit] of ones.slice(1, 10)) table.set(`${digit === 1 ? 'ein' : one}und${ten}`, value + digit)
  return table
}

const tables = { en: tableOf('en'), de: tableOf('de'), es: tableOf('es'), fr: tableOf('fr') }

/** Replaces numbers in words by digits: "two hundred and five" by "205", "twenty-one" by "21", "3 million" by "3000000". */
export function withDigits(text: string, language: Language): string {
  const table = new Map([...tables.en, ...tables[language]])
  const regular = text
    .replace(/\bquatre[- ]vingts?\b/giu, EIGHTY)
    // Only after a number: "50 cents" are coins.
    .replace(/(?<=\b(?:deux|trois|quatre|cinq|six|sept|huit|neuf)[ -])cents\b/giu, 'cent')
    .replace(/\b(?<!half )a (?=(?:hundred|thousand|million)\b)/giu, '')
  const words = regular.split(/(\s+|-(?=\p{L}))/u)
  const result: string[] = []
  // The number being read: its total so far, and the part that a following "hundred" multiplies.
  let [total, part, isOpen] = [0, 0, false]
  const finishNumber = () => {
    if (isOpen) result.push(String(total + part), ' ')
    ;[total, part, isOpen] = [0, 0, false]
  }
  // "soixante-dix" is 60 and 10, "quatre-vingt-onze" 80 and 11
  const joinsTens = (value: number) =>
    part % 10 === 0 && value < (language === 'fr' && [60, 80].includes(part % 100) ? 20 : 10)
  const isConjunction = (word: string, next: number | undefined) =>
    isOpen &&
    next !== undefined &&
    ((word === 'and' && total + part >= 100) ||
      (word === conjunctions[language] && part % 100 !== 0 && joinsTens(next)))
  const valueAfterConjunction = (word: string) =>
    table.get(word.toLowerCase()) ?? (onesAfterConjunctions[language].includes(word.toLowerCase()) ? 1 : undefined)
  for (let index = 0; index < words.length; index += 2) {
    const [, word = '', punctuation = ''] = /^(.*?)([?!.,;:]*)$/su.exec(words[index] ?? '') ?? []
    const isArticle =
      isOpen &&
      words[index - 2]?.toLowerCase() === conjunctions[language] &&
      onesAfterConjunctions[language].includes(word.toLowerCase())
    const value = isArticle ? 1 : table.get(word.toLowerCase())
    const isAfterDigits = /^\d+(?:\.\d+)?$/.test(words[index - 2] ?? '') && !isOpen
    const isScale = value === 100 || (value !== undefined && value >= 1000)
    if (value !== undefined && isScale && (isOpen || isAfterDigits)) {
      if (isAfterDigits) part = Number(result.splice(-2)[0])
      isOpen = true
      if (value === 100) part = Math.max(part, 1) * value
      else [total, part] = [total + Math.max(part, 1) * value, 0]
    } else if (value !== undefined) {
      // "five six" are two numbers, "twenty six" is one
      if (isOpen && part % 100 !== 0 && !joinsTens(value)) finishNumber()
      // "a thousand two hundred": only the two are multiplied
      if (value >= 1000) total += value
      else part += value
      isOpen = true
    } else if (!isConjunction(word.toLowerCase(), valueAfterConjunction(words[index + 2] ?? ''))) {
      finishNumber()
      result.push(words[index] ?? '', words[index + 1] ?? '')
    }
    if (value !== undefined && punctuation !== '') {
      finishNumber()
      result.splice(-1, 1, punctuation, words[index + 1] ?? '')
    }
  }
  finishNumber()
  return result.join('').trim()
}

/** Beginnings of units; "twenty second" may be a day. */
const timeUnits =
  'minut|hora|hour|heure|stunde|uhr|segund|seconds|seconde|sekund|days|d[ií]as|jours|tage|weeks|semanas|semaines|wochen|months|meses|mois|monate'
/** Numbers in words of any length before a unit of time, by language: "treinta y cinco minutos". */
const numbersBeforeUnits = Object.fromEntries(
  Object.entries(tables).map(([language, table]) => {
    // Parts of "dix-sept" are names themselves: each word can be matched in one way only.
    const names = [...table.keys(), 'vingts', 'cents'].filter((name) => !name.includes('-'))
    const word = `(?:${names.join('|')})(?!\\p{L})`
    const source = `(?<!\\p{L})(?:a (?=hundred))?${word}(?:[ -](?:(?:and|y|et) )?${word})*(?:[ -](?:y|et) un[ea]?)?`
    return [language, new RegExp(`${source}(?=[ -](?:${timeUnits}))`, 'giu')]
  }),
) as Record<Language, RegExp>
/** Largest number that the date parsers read as a word. */
const MAX_READ_NUMBER = 12

/** Pattern of numbers in words before a unit of time, and their digits; smaller ones stay, since the date parsers read them. */
export const spokenLengths = (language: Language): [RegExp, (words?: string) => string] => [
  numbersBeforeUnits[language],
  (words = '') => {
    const digits = withDigits(words, language)
    return Number(digits) > MAX_READ_NUMBER ? digits : words
  },
]
