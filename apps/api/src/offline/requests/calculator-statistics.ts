import type { Language } from '@mira/shared'
import type { MathTask } from '../math/math.ts'
import { groupedBySpaces, numberPattern, plainNumber } from './calculator-numbers.ts'

/** Figure of a list of numbers that a sentence asks for. */
type Figure = 'all' | 'mean' | 'median' | 'sum' | 'minimum' | 'maximum' | 'standardDeviation'

/** Words for statistics of a list of numbers. */
const statistics: readonly [RegExp, Figure][] = [
  [/\b(?:statistics|stats|statistik|estadísticas|statistiques)\b/iu, 'all'],
  [
    /(?<!\p{L})(?:standard deviation|std|standardabweichung|desviación (?:estándar|típica)|écart[- ]type)(?!\p{L})/iu,
    'standardDeviation',
  ],
  [/\b(?:median|mediana|médiane)\b/iu, 'median'],
  [/\b(?:mean|average|mittelwert|durchschnitt|media|promedio|moyenne)\b/iu, 'mean'],
  [/\b(?:sum|total|summe|suma|somme)\b/iu, 'sum'],
  [/\b(?:minimum|smallest|kleinste|mínimo)\b/iu, 'minimum'],
  [/\b(?:maximum|largest|größte|máximo)\b/iu, 'maximum'],
]

const figureWords =
  /(?<!\p{L})(?:statistics|stats|statistik|estadísticas|statistiques|standard deviation|std|standardabweichung|desviación (?:estándar|típica)|écart[- ]type|median|mediana|médiane|mean|average|mittelwert|durchschnitt|media|promedio|moyenne|sum|total|summe|suma|somme|minimum|smallest|kleinste|mínimo|maximum|largest|größte|máximo)(?!\p{L})/giu
/** Words between a figure and its list; with others, the numbers belong to something else: "total spending in 2023 and 2024". */
const beforeList = new Set(
  [
    'of from for my the these those this following number numbers value values list data series score scores result results grades prices is are and',
    'von vom der den aus für meine meinen meiner diese diesen dieser folgende folgenden zahlen werte noten und',
    'de del los las el la estos estas siguientes números valores notas y para mis',
    'd des du le les l ces suivants suivantes nombres valeurs chiffres notes et pour mes',
  ].flatMap((words) => words.split(' ')),
)
/** Text between two numbers of a list. */
const betweenNumbers = /^[-+\s.,;]*(?:(?:and|und|y|et)(?!\p{L})[-+\s.,;]*)*$/iu
const year = /^(?:19|20)\d\d$/

/** Reads a text as a list of numbers and the figure asked for; null when it isn't one. Linear, since the text may be long. */
export function readStatistics(
  text: string,
  language: Language,
): { kind: 'math'; task: Extract<MathTask, { kind: 'statistics' }>; figure: Figure } | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const isColumn = lines.length >= 3 && lines.every((line) => /^[-+]?[\d.,]+$/.test(line.trim()))
  const figure = statistics.find(([pattern]) => pattern.test(text))?.[1]
  if ((figure === undefined && !isColumn) || /\b(?:between|zwischen|entre)\b/iu.test(text)) return null
  // In a list, a comma before a space or between integers separates numbers; a pasted column has one number per line.
  const list = (language === 'fr' ? joinFrenchGroups(text) : text)
    .replace(/(\d)\s*[;,]\s+(?=[-+\d])/g, '$1 ; ')
    .replace(/(?<=\d),(?=\d)/g, (comma, index: number, all: string) => {
      const isEnglishList = language === 'en' && !/^,\d{3}(?!\d)/.test(all.slice(index))
      return isEnglishList ? ' ; ' : comma
    })
  const matches = [...list.matchAll(numberPattern)].map(({ 0: number, index }) => ({
    number,
    begin: index,
    end: index + number.length,
  }))
  // "the average of these 3: 1, 2, 6"
  const [first, second] = matches
  if (first && second && /^\s*:/.test(list.slice(first.end, second.begin))) matches.shift()
  const [begin, end] = [matches[0]?.begin ?? 0, matches.at(-1)?.end ?? 0]
  const isList = matches
    .slice(1)
    .every((match, index) => betweenNumbers.test(list.slice(matches[index]?.end, match.begin)))
  if (matches.length < 2 || !isList) return null
  const lead = list.slice(0, begin)
  const lastFigure = [...lead.matchAll(figureWords)].at(-1)
  const isOfList =
    lastFigure === undefined ? lead.trim() === '' : opensList(lead.slice(lastFigure.index + lastFigure[0].length))
  const numbers = matches.map(({ number }) => plainNumber(number, language))
  if (!isColumn && (!isOfList || numbers.every((number) => year.test(number)))) return null
  // "3, 4, 8: average", but not "10-4 meaning"
  if (!isColumn && lastFigure === undefined && !isFigureAlone(list.slice(end))) return null
  return { kind: 'math', task: { kind: 'statistics', numbers }, figure: figure ?? 'all' }
}

const frenchSeparator = /;|,(?=\s)|(?<!\p{L})et(?!\p{L})/iu

/** Joins the groups of digits of "1 200 et 3 400"; in "100 200 300" and "100 200 et 300", spaces separate numbers. */
function joinFrenchGroups(text: string): string {
  const pieces = text.split(frenchSeparator)
  if (pieces.length < 2) return text
  const areAllGrouped = pieces.every((piece) => piece.search(groupedBySpaces) !== -1)
  return text.replace(groupedBySpaces, (number) =>
    areAllGrouped || !/^\d{3}/.test(number) ? number.replace(/\s/gu, '') : number,
  )
}

/** True for text between a figure and its list. */
function opensList(text: string): boolean {
  const words = text.toLowerCase().split(/[^\p{L}\p{M}]/u)
  return words.every((word) => word === '' || beforeList.has(word))
}

/** True for a text of a figure without other words. */
function isFigureAlone(text: string): boolean {
  return /^[\s\p{P}=]*$/u.test(text.replace(figureWords, ''))
}
