// Docstrings and commit subjects as docs/style.md wants them, SQL as CONTRIBUTING.md does, and no marks of merges.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** First words of a docstring that is a clause instead of a noun phrase or an imperative. */
const CLAUSE = /^(?:What|Whether|How|Where|Why|Who|Whoever|Whatever|Which|When|That|Those|Of)\b/
const DOCSTRING = /^[ \t]*\/\*\*([\s\S]*?)\*\//gm
const SUBJECT = /^[a-z0-9-]+(?:, [a-z0-9-]+)*: [a-z]/
const MAX_SUBJECT_CHARACTERS = 72

const PRODUCT_SQL = /^apps\/api\/src\/.*\.ts$/
const TEST = /\.test\.ts$/
const PLACEHOLDER = /\$\d/
/** Marks of a line of SQL, which are not beside a `$1` of a regular expression. */
const SQL =
  /\b(?:SELECT|FROM|JOIN|WHERE|AND|OR|VALUES|SET|UPDATE|DELETE|IN|ANY|LIMIT|OFFSET|CASE|WHEN|THEN)\b|\$\d+::|[=<>]\s*\$\d/

/** Lines of a source text with SQL that numbers its values. */
export function rejectedPlaceholders(source) {
  return source.split('\n').flatMap((text, index) => {
    return PLACEHOLDER.test(text) && SQL.test(text) ? [{ line: index + 1, text: text.trim() }] : []
  })
}

/** Docstrings of a source text that open with a clause, each with its line. */
export function rejectedDocstrings(source) {
  return [...source.matchAll(DOCSTRING)].flatMap(({ 1: body, index }) => {
    const text = body.replace(/^[\s*]+/, '')
    if (!CLAUSE.test(text)) return []
    return [{ line: source.slice(0, index).split('\n').length, text: text.split('\n')[0].trim() }]
  })
}

/** Commit subjects that aren't `area: imperative` or are too long. */
export function rejectedSubjects(subjects) {
  return subjects.filter((subject) => subject.length > MAX_SUBJECT_CHARACTERS || !SUBJECT.test(subject))
}

/** Lines that a merge left in a text. */
export function mergeMarks(source) {
  return source.split('\n').flatMap((text, index) => (/^(?:<{7}|>{7}) /.test(text) ? [{ line: index + 1, text }] : []))
}

/** The rejected docstrings of every source in git, SQL of the API, and the subject of the last commit when it's rejected. */
export function checkStyle(root) {
  // an archive of the sources has no history to read
  if (!existsSync(join(root, '.git'))) return []
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const files = git('ls-files', '*.ts', '*.tsx', '*.mjs', '*.js', '*.cjs').filter((file) => !file.endsWith('.d.ts'))
  const lines = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const placeholders = PRODUCT_SQL.test(file) && !TEST.test(file) ? rejectedPlaceholders(source) : []
    return [
      ...rejectedDocstrings(source).map(
        ({ line, text }) => `${file}:${line}: a docstring is a noun phrase or an imperative: ${text}`,
      ),
      ...placeholders.map(({ line, text }) => `${file}:${line}: values of SQL have names, in sql\`…\`: ${text}`),
    ]
  })
  const texts = git(
    'ls-files',
    '*.md',
    '*.ts',
    '*.tsx',
    '*.mjs',
    '*.json',
    '*.sql',
    '*.yml',
    '*.yaml',
    '*.sh',
    '.env.example',
  )
  const marks = texts.flatMap((file) =>
    mergeMarks(readFileSync(join(root, file), 'utf8')).map(
      ({ line, text }) => `${file}:${line}: left by a merge: ${text}`,
    ),
  )
  const subjects = rejectedSubjects(git('log', '-1', '--no-merges', '--format=%s'))
  return [...lines, ...marks, ...subjects.map((subject) => `commit subject: ${subject}`)]
}
