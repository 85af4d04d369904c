import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { attacksOn } from './regex-attacks.mjs'
import { findRegexes } from './regex-finder.mjs'

/** Longer than most fields allow; anything longer is cut or read in chunks. */
const FIELD_CHARACTERS = 50_000
const MAX_MS = 50
/** Maximum ratio of the times for twice the text. */
const MAX_GROWTH = 2.8
/** Lengths at which a non-linear pattern is already noticeable, but doesn't hang yet. */
const SHORT_LENGTHS = [18, 24, 60, 400]
const MAX_SHORT_MS = 10
/** A pattern slower than `SUSPICIOUS_MS` at this length is tried at the full length. */
const TRIAL_CHARACTERS = 4000
const SUSPICIOUS_MS = 0.3

/** Maximum number of characters that the patterns of a file see, with the limit that ensures it. */
const CAPS = {
  'apps/api/src/offline/builtin/builtin.ts': 1000, // MAX_QUESTION_CHARACTERS of builtin.ts
  'apps/api/src/offline/builtin/clock.ts': 1000, // MAX_QUESTION_CHARACTERS of builtin.ts
  'apps/api/src/engines/embedding/embedding-prefixes.ts': 300, // names of models, which an administrator sets
  'apps/api/src/engines/remote/errors.ts': 301, // MAX_MESSAGE_CHARACTERS
  'apps/api/src/parsers/office/kinds/sheet-numbers.ts': 1000, // MAX_CODE_CHARACTERS
  'apps/api/src/parsers/sniff/sniff-text.ts': 4096, // of the beginning of a file
  'apps/api/src/offline/requests/calculator-dates.ts': 400, // MAX_SENTENCE_CHARACTERS of calculator-reading.ts
  'apps/api/src/offline/requests/calculator-reading.ts': 400, // MAX_SENTENCE_CHARACTERS
  'apps/api/src/offline/requests/file-phrases.ts': 500, // MAX_CHARACTERS of file-reading.ts
  'apps/api/src/offline/requests/file-reading.ts': 500, // MAX_CHARACTERS
  'apps/api/src/offline/requests/recurrence-reading.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-days.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-holidays.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/english.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/french.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/german.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-rewrites/spanish.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-times.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-titles.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/reminder-words.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/spoken-numbers.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/time-parsing.ts': 1000, // MAX_SENTENCE_CHARACTERS of reminder.ts
  'apps/api/src/offline/requests/weather-reading.ts': 300, // MAX_CHARACTERS
}

/** Files that build patterns at run time, each with the reason that they're linear or short. */
const BUILT_AT_RUN_TIME = {
  'apps/api/src/engines/chat/text-calls.ts': 'marks of its own list, escaped, each matched where it stands',
  'apps/api/src/offline/builtin/help.ts': 'MAX_QUESTION_CHARACTERS of builtin.ts',
  'apps/api/src/offline/language/sentiment.ts': 'words of its own lists, anchored, one word of the text at a time',
  'apps/api/src/offline/math/math-worker.ts': 'an expression of 400 characters, in a worker that is stopped',
  'apps/api/src/offline/requests/calculator-dates.ts': 'MAX_SENTENCE_CHARACTERS of calculator-reading.ts',
  'apps/api/src/offline/requests/file-date-words.ts': 'MAX_CHARACTERS of file-reading.ts',
  'apps/api/src/offline/requests/file-words.ts': 'MAX_CHARACTERS of file-reading.ts',
  'apps/api/src/offline/requests/news-reading.ts': 'MAX_CHARACTERS of 300',
  'apps/api/src/offline/requests/recurrence-reading.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/recurrence-words.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-days.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-ends.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-holidays.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-hours.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/english.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/french.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/german.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/rewrite.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-rewrites/spanish.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-time-words.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-words.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/spoken-durations.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/spoken-numbers.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts; no word in two ways',
  'apps/api/src/offline/requests/reminder-times.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/reminder-titles.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
  'apps/api/src/offline/requests/time-parsing.ts': 'MAX_SENTENCE_CHARACTERS of reminder.ts',
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
const { regexes, unresolved } = findRegexes(root, ['apps/api/src', 'packages/shared/src'])

/** CPU time to search a text: the shortest of some tries, as caches and other programs make it vary. */
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

/** Abbreviated text on which a pattern takes too long; null for none. */
function slowTextFor({ source, flags }, maxCharacters) {
  // every pattern searches the whole text, like one that is applied repeatedly
  const regex = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
  ''.replace(regex, '')
  const slowAmong = (length, maxMs) => {
    for (const [index, text] of [...attacksOn(source, length)].entries()) {
      const cpuMs = cpuMsOf(regex, text, maxMs)
      if (cpuMs <= maxMs) continue
      // twice the text takes a linear pattern twice as long on any machine, and one that backtracks four times as long
      const halfText = [...attacksOn(source, length / 2)][index]
      const isSteep = cpuMs > MAX_GROWTH * cpuMsOf(regex, halfText, 0)
      if (isSteep) return `${length}: ${abbreviated(text)}`
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

const abbreviated = (text) => JSON.stringify(`${text.slice(0, 20)}…${text.slice(-4)}`)

test('every pattern searches the longest text that it can see within 50 ms', () => {
  const results = new Map()
  const slow = regexes.flatMap(({ file, line, source, flags }) => {
    const maxCharacters = CAPS[file] ?? FIELD_CHARACTERS
    const key = `${maxCharacters} /${source}/${flags}`
    if (!results.has(key)) results.set(key, slowTextFor({ source, flags }, maxCharacters))
    return results.get(key) === null ? [] : [`${file}:${line} /${source}/${flags} at ${results.get(key)}`]
  })
  expect(slow).toEqual([])
  // so that an empty search doesn't pass
  expect(results.size).toBeGreaterThan(500)
})

test('lists every file that builds patterns at run time, with a reason', () => {
  expect([...new Set(unresolved.map(({ file }) => file))].sort()).toEqual(Object.keys(BUILT_AT_RUN_TIME).sort())
})

test('detects patterns that backtrack', () => {
  const slow = ['(?:[\\s,]+|\\s+on)+$', '\\s+$', '"[^"]*"|\\[[^\\]]*\\]', '[a-z]+:\\S+', '\\[([^\\]]+)\\]\\([^)]+\\)']
  expect(slow.filter((source) => slowTextFor({ source, flags: 'i' }, FIELD_CHARACTERS / 3) === null)).toEqual([])
})
