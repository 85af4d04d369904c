import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { attacksOn } from './regex-attacks.mjs'
import { findRegexes } from './regex-finder.mjs'

/** Longer than what most fields take; what is longer than that is cut or read piece by piece. */
const FIELD_CHARACTERS = 50_000
const MAX_MS = 50
/** Times as long for twice the text. */
const MAX_GROWTH = 2.8
/** A pattern that isn't linear shows at these already, before it could take for ever. */
const SHORT_LENGTHS = [18, 24, 60, 400]
const MAX_SHORT_MS = 10
/** At this length, one that takes longer is worth a try at the full length. */
const TRIAL_CHARACTERS = 4000
const SUSPICIOUS_MS = 0.3

/** Files whose patterns see no more than so many characters, by what cuts or refuses longer ones. */
const CAPS = {
  'apps/api/src/offline/builtin/builtin.ts': 1000, // MAX_QUESTION_CHARACTERS of builtin.ts
  'apps/api/src/offline/builtin/clock.ts': 1000, // MAX_QUESTION_CHARACTERS of builtin.ts
  'apps/api/src/engines/embedding/embedding-prefixes.ts': 300, // names of models, which an administrator sets
  'apps/api/src/engines/remote/errors.ts': 301, // MAX_MESSAGE_CHARACTERS
  'apps/api/src/parsers/office/kinds/sheet-numbers.ts': 1000, // MAX_CODE_CHARACTERS
  'apps/api/src/parsers/sniff/sniff-text.ts': 4096, // of the beginning of a file
  'apps/api/src/offline/requests/calculator-reading.ts': 400, // MAX_SENTENCE_CHARACTERS
  'apps/api/src/offline/requests/file-reading.ts': 500, // MAX_CHARACTERS
  'apps/api/src/offline/requests/recurrence-reading.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-days.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-holidays.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/english.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/french.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/german.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/spanish.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-times.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-words.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/spoken-numbers.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/weather-reading.ts': 300, // MAX_CHARACTERS
}

/** Files that build patterns from what they are given, each with why that is linear or short. */
const BUILT_AT_RUN_TIME = {
  'apps/api/src/engines/chat/text-calls.ts': 'marks of its own list, escaped, each matched where it stands',
  'apps/api/src/offline/language/sentiment.ts': 'words of its own lists, anchored, one word of the text at a time',
  'apps/api/src/offline/math/math-worker.ts': 'an expression of 400 characters, in a worker that is stopped',
  'apps/api/src/offline/requests/file-words.ts': 'MAX_CHARACTERS of file-reading.ts',
  'apps/api/src/offline/requests/news-reading.ts': 'MAX_CHARACTERS of 300',
  'apps/api/src/offline/requests/recurrence-reading.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/recurrence-words.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-days.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-holidays.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/english.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/french.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/german.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/rewrite.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/spanish.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-time-words.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-times.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/weather-reading.ts': 'MAX_CHARACTERS of 300',
  'apps/api/src/modules/chat/conversations/snippet.ts': 'letters of a query, escaped',
  'apps/api/src/offline/phrases/kinds.ts': 'a query of 1000 characters',
  'apps/api/src/offline/phrases/patterns.ts': 'a query of 1000 characters',
  'apps/api/src/offline/phrases/time-grammar.ts': 'a query of 1000 characters',
  'apps/api/src/offline/phrases/times.ts': 'a query of 1000 characters',
  'apps/api/src/offline/phrases/written-days.ts': 'names of months; 50,000 characters of days take 25 ms',
  'apps/api/src/modules/search/query-phrases.ts': 'words of a query, escaped',
  'apps/api/src/modules/search/terms.ts': 'fixed classes of letters and of what joins them',
  'apps/api/src/modules/identity/users/password-hash.ts': 'a name, escaped, in a password',
  'apps/api/src/platform/http/web-app.ts': 'our own page',
  'apps/api/src/platform/lib/thinking.ts': 'the name of one of the tags it knows',
}

const root = fileURLToPath(new URL('..', import.meta.url))
const { found, unresolved } = findRegexes(root, ['apps/api/src', 'packages/shared/src'])

/** Milliseconds of a processor to go through a text: the shortest of some tries, as caches and other programs differ. */
function cpuMsOf(regex, text, enoughMs) {
  let shortestMs = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 4 && shortestMs > enoughMs; tries++) {
    const before = process.threadCpuUsage()
    text.replace(regex, '')
    const { user, system } = process.threadCpuUsage(before)
    shortestMs = Math.min(shortestMs, (user + system) / 1000)
    if (enoughMs > 0 && shortestMs > 20 * enoughMs) break
  }
  return shortestMs
}

/** The text at which a pattern takes too long, shortened; null when it takes all of them well. */
function slowAt({ source, flags }, maxCharacters) {
  // every pattern goes through the whole text, as one that is asked for again and again does
  const regex = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
  ''.replace(regex, '')
  const slowAmong = (length, maxMs) => {
    for (const [index, text] of [...attacksOn(source, length)].entries()) {
      const cpuMs = cpuMsOf(regex, text, maxMs)
      if (cpuMs <= maxMs) continue
      // twice the text takes a linear pattern twice as long on any machine, and one that backtracks four times as long
      const half = [...attacksOn(source, length / 2)][index]
      const isSteep = cpuMs > MAX_GROWTH * cpuMsOf(regex, half, 0)
      if (isSteep) return `${length}: ${shown(text)}`
    }
    return null
  }
  for (const length of SHORT_LENGTHS.filter((one) => one < maxCharacters)) {
    const slow = slowAmong(length, MAX_SHORT_MS)
    if (slow !== null) return slow
  }
  if (maxCharacters <= TRIAL_CHARACTERS) return slowAmong(maxCharacters, MAX_MS)
  return slowAmong(TRIAL_CHARACTERS, SUSPICIOUS_MS) === null ? null : slowAmong(maxCharacters, MAX_MS)
}

const shown = (text) => JSON.stringify(`${text.slice(0, 20)}…${text.slice(-4)}`)

test('every pattern goes through the longest text that it may see within 50 ms', () => {
  const known = new Map()
  const slow = found.flatMap(({ file, line, source, flags }) => {
    const maxCharacters = CAPS[file] ?? FIELD_CHARACTERS
    const key = `${maxCharacters} /${source}/${flags}`
    if (!known.has(key)) known.set(key, slowAt({ source, flags }, maxCharacters))
    return known.get(key) === null ? [] : [`${file}:${line} /${source}/${flags} at ${known.get(key)}`]
  })
  expect(slow).toEqual([])
  // so that an empty search doesn't pass
  expect(known.size).toBeGreaterThan(500)
})

test('patterns that are built at run time are in the list of those, with a reason', () => {
  expect([...new Set(unresolved.map(({ file }) => file))].sort()).toEqual(Object.keys(BUILT_AT_RUN_TIME).sort())
})

test('a pattern that backtracks is noticed', () => {
  const slow = ['(?:[\\s,]+|\\s+on)+$', '\\s+$', '"[^"]*"|\\[[^\\]]*\\]', '[a-z]+:\\S+', '\\[([^\\]]+)\\]\\([^)]+\\)']
  expect(slow.filter((source) => slowAt({ source, flags: 'i' }, FIELD_CHARACTERS / 3) === null)).toEqual([])
})
