// Docstrings and commit subjects as docs/style.md wants them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** First words of a docstring that is a clause instead of a noun phrase or an imperative. */
const CLAUSE = /^(?:What|Whether|How|Where|Why|Who|Whoever|Whatever|Which|When|That|Those|Of)\b/
const DOCSTRING = /^[ \t]*\/\*\*([\s\S]*?)\*\//gm
const SUBJECT = /^[a-z0-9-]+(?:, [a-z0-9-]+)*: [a-z]/
const MAX_SUBJECT_CHARACTERS = 72

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

/** The rejected docstrings of every source in git, and the subject of the last commit when it's rejected. */
export function checkStyle(root) {
  // an archive of the sources has no history to read
  if (!existsSync(join(root, '.git'))) return []
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const files = git('ls-files', '*.ts', '*.tsx', '*.mjs', '*.js', '*.cjs').filter((file) => !file.endsWith('.d.ts'))
  const lines = files.flatMap((file) =>
    rejectedDocstrings(readFileSync(join(root, file), 'utf8')).map(
      ({ line, text }) => `${file}:${line}: a docstring is a noun phrase or an imperative: ${text}`,
    ),
  )
  const subjects = rejectedSubjects(git('log', '-1', '--no-merges', '--format=%s'))
  return [...lines, ...subjects.map((subject) => `commit subject: ${subject}`)]
}
