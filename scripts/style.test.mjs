import { expect, test } from 'vitest'
import {
  conflictMarkers,
  disagreeingInterfaces,
  localeDates,
  rejectedDocstrings,
  rejectedPlaceholders,
  rejectedSubjects,
  retiredWords,
  storedClocks,
  unitCuts,
} from './style.mjs'

test('rejects a docstring that opens with a clause, but not a noun phrase or an imperative', () => {
  const source = [
    '/** What is done with a picture. */',
    '/** Steps for an image. */',
    '  /**',
    '   * Whether it runs.',
    '   */',
    "const glob = 'src/**/*.ts' // What",
  ].join('\n')
  expect(rejectedDocstrings(source)).toEqual([
    { line: 1, text: 'What is done with a picture.' },
    { line: 3, text: 'Whether it runs.' },
  ])
})

test('finds retired words in comments, even across lines, but not in code', () => {
  const source = ["const anew = 'told of'", '// read anew', '/**', ' * Facts told', ' * of a person.', ' */'].join('\n')
  expect(retiredWords(source)).toEqual([
    { line: 2, text: 'anew' },
    { line: 3, text: 'told of' },
  ])
})

test('rejects interfaces with the same name when a field of one is renamed in the other', () => {
  const sources = [
    { file: 'a.ts', source: 'interface Turn {\n  progress(done: number): void\n  max: number\n}\n' },
    { file: 'b.ts', source: 'export interface Turn {\n  progress?: () => void\n  most?: number\n}\n' },
    { file: 'c.ts', source: 'interface Turn {\n  role: string\n  text?: string\n}\n' },
  ]
  expect(disagreeingInterfaces(sources)).toEqual([{ name: 'Turn', files: ['a.ts', 'b.ts'], fields: ['most'] }])
})

test('finds merge conflict markers', () => {
  const source = ['# Title', `${'<'.repeat(7)} HEAD`, 'one', '======= ', `${'>'.repeat(7)} 0a1b2c3 (other)`].join('\n')
  expect(conflictMarkers(source).map(({ line }) => line)).toEqual([2, 5])
})

test('rejects SQL with numbered placeholders, but not the replacement of a regular expression', () => {
  const source = [
    "await pool.query('SELECT 1 FROM users WHERE id = $1', [id])",
    '  text: `name = coalesce($2, name), user_id = $3',
    '  SELECT g.id, $1::uuid',
    "text.replace(/(a)(b)/, '$2 $1')",
    "[/√\\s*(\\d)/u, 'sqrt($1)'],",
  ].join('\n')
  expect(rejectedPlaceholders(source).map(({ line }) => line)).toEqual([1, 2, 3])
})

test('rejects the time of day for measuring durations, but not for comparing with a stored time', () => {
  const source = [
    'const startedAt = Date.now()',
    '  cached.until = Date.now() + LIFETIME_MS',
    '  cache.set(key, { size, until: Date.now() + LIFETIME_MS })',
    '  { now = Date.now }: Options,',
    '  now = () => Date.now(),',
    'lastSeenAt.set(group, Date.now())',
    'calls.push(Date.now())',
    'return Date.now()',
    'const expiresAt = new Date(Date.now() + HOUR_MS)',
    'const ageMs = Date.now() - stats.mtimeMs',
    'if (expiresAt.getTime() <= Date.now()) return null',
    'created: Math.floor(Date.now() / 1000),',
    'await store.takeLost(new Date(Date.now() - LOST_MS), LOST_BATCH)',
  ].join('\n')
  expect(storedClocks(source).map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('rejects a text cut by UTF-16 units, but not a list or a date', () => {
  const source = [
    'const shown = text.slice(0, MAX_CHARACTERS)',
    'return line.trim().substring(0, maxCharacters - 1)',
    'const cut = cutText(text, MAX_CHARACTERS)',
    'const items = rows.slice(0, MAX_ITEMS)',
    "codePoints.slice(0, MAX_CHARACTERS).join('')",
    'now.toISOString().slice(0, DAY_CHARACTERS)',
    'text.slice(start, start + CHUNK_CHARACTERS)',
  ].join('\n')
  expect(unitCuts(source).map(({ line }) => line)).toEqual([1, 2])
})

test('rejects a commit subject without an area or with more than 72 characters', () => {
  const subjects = ['search: rank guesses last', 'Let the guesses be last', `web: ${'x'.repeat(80)}`]
  expect(rejectedSubjects(subjects)).toEqual(subjects.slice(1))
})

test('rejects dates read from locale-formatted text', () => {
  const source = "const day = new Intl.DateTimeFormat('en' + '-CA')\nnew Intl.DateTimeFormat('en', {})\nnew Intl.Date"
  expect(localeDates(`${source}TimeFormat('sv-SE').format(now)`).map(({ line }) => line)).toEqual([3])
})
