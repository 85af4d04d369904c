// Checks docstrings and commit subjects against docs/style.md, SQL, clocks and cut texts against CONTRIBUTING.md, and looks for
// interfaces that disagree and for merge conflict markers.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** First words of docstrings that are clauses rather than noun phrases or imperatives. */
const CLAUSE = /^(?:What|Whether|How|Where|Why|Who|Whoever|Whatever|Which|When|That|Those|Of)\b/
/** Home-made words of earlier versions at which readers stopped; docs/style.md lists more of them, with replacements. */
const RETIRED =
  /\b(?:anew|caged?|caging|surroundings|told of|by itself|of before|that is none|is there already|not there any more)\b/i
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm
const DOCSTRING = /^[ \t]*\/\*\*([\s\S]*?)\*\//gm
const SUBJECT = /^[a-z0-9-]+(?:, [a-z0-9-]+)*: [a-z]/
const MAX_SUBJECT_CHARACTERS = 72

const PRODUCT_SOURCE = /^apps\/api\/src\/.*\.ts$/
const TEST = /\.test\.ts$/
/** Paths of tests and their helpers. */
const TEST_FILE = /\.(?:test|spec)\.|^(?:apps\/[^/]+\/test|packages\/[^/]+\/test|e2e|bench)\//
const INTERFACE = /^(?:export )?interface (\w+)[^\n{]*\{\n([\s\S]*?)^\}/gm
const FIELD = /^ {2}(\w+)(\??)[:(<]/gm
const PLACEHOLDER = /\$\d/
/** Signs of SQL in a line, which distinguish its `$1` from that of a regular expression. */
const SQL =
  /\b(?:SELECT|FROM|JOIN|WHERE|AND|OR|VALUES|SET|UPDATE|DELETE|IN|ANY|LIMIT|OFFSET|CASE|WHEN|THEN)\b|\$\d+::|[=<>]\s*\$\d/

/** Use of a locale to format ISO dates, which doesn't work in every version of browsers and Node.js. */
const ISO_LOCALE = /DateTimeFormat\('(?:en-CA|sv(?:-SE)?|fr-CA|lt)'/

/** Code that stores the time of day, as if to measure a duration with it. */
const STORED_CLOCK = /(?:[^<>=!]=>?|[:?,]|\breturn|(?<!\bDate)\()\s*Date\.now\b(?!\(\)\s*[-/%])/
/** Files that may store the time of day, since they need it for stored, signed or displayed times. */
const mayStoreClock = new Set([
  'apps/api/src/modules/admin/backups/backups.service.ts',
  'apps/api/src/modules/identity/oauth/clients.service.ts',
  'apps/api/src/modules/identity/sign-in/sign-in-tickets.ts',
  'apps/api/src/modules/identity/sign-in/totp.service.ts',
  'apps/api/src/modules/library/pipeline/processing.service.ts',
  'apps/api/src/platform/database/new-id.ts',
  'apps/api/src/platform/http/signed-url.ts',
])

/** Text cut after a number of UTF-16 units, perhaps in the middle of an emoji. */
const UNIT_CUT = /\.(?:slice|substring)\(\s*0,[^)]*(?:CHARACTERS|[cC]haracters)\b/
/** Text that isn't cut within a character: code points, and the ASCII texts of dates and hashes. */
const SAFE_CUT = /(?:codePoints|\[\.{3}\w+\]|toISOString\(\)|digest\('hex'\))\.slice\(/
const SOURCE = /^(?:apps|packages)\/[^/]+\/src\/.*\.tsx?$/
/** Files that may cut texts by UTF-16 units, since they only judge or compare them, or the texts are ASCII or lists. */
const mayCutUnits = new Set([
  'apps/api/src/modules/chat/mcp-servers/connected-tools.ts',
  'apps/api/src/modules/chat/pictures/pictures.service.ts',
  'apps/api/src/modules/chat/turns/outbound-words.ts',
  'apps/api/src/modules/identity/users/password-hash.ts',
  'apps/api/src/modules/library/imports/photo-servers/immich.ts',
  'apps/api/src/modules/search/terms.ts',
  'apps/api/src/offline/intents/intent-classifier.ts',
  'apps/api/src/offline/language/language.ts',
  'apps/api/src/offline/language/sentiment.ts',
  'apps/api/src/parsers/media-archives/kinds/takeout.ts',
  'apps/api/src/parsers/office/calendar.ts',
  'apps/api/src/parsers/office/kinds/mail-charsets.ts',
  'apps/api/src/parsers/office/kinds/mail.ts',
  'apps/api/src/parsers/pdf/garbled-text.ts',
  'apps/api/src/platform/lib/thinking.ts',
  'apps/web/src/features/library/grid-layout.ts',
  'apps/web/src/features/library/use-fact-changes.ts',
])

/** Lines of a source text that cut a text by UTF-16 units. */
export function unitCuts(source) {
  return source
    .split('\n')
    .flatMap((text, index) =>
      UNIT_CUT.test(text) && !SAFE_CUT.test(text) ? [{ line: index + 1, text: text.trim() }] : [],
    )
}

/** Lines of a source text that store a time of day. */
export function storedClocks(source) {
  return source
    .split('\n')
    .flatMap((text, index) => (STORED_CLOCK.test(text) ? [{ line: index + 1, text: text.trim() }] : []))
}

/** Lines of a source text that use a locale for ISO dates. */
export function localeDates(source) {
  return source
    .split('\n')
    .flatMap((text, index) => (ISO_LOCALE.test(text) ? [{ line: index + 1, text: text.trim() }] : []))
}

/** Lines of a source text with SQL that has numbered placeholders. */
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

/** Comments of a source text with retired words, each with its line. */
export function retiredWords(source) {
  return [...source.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const word = RETIRED.exec(comment.replace(/\n[\s*]*/g, ' '))?.[0]
    return word === undefined ? [] : [{ line: source.slice(0, index).split('\n').length, text: word }]
  })
}

/** Commit subjects that aren't `area: imperative` or are too long. */
export function rejectedSubjects(subjects) {
  return subjects.filter((subject) => subject.length > MAX_SUBJECT_CHARACTERS || !SUBJECT.test(subject))
}

/** Merge conflict markers in a text. */
export function conflictMarkers(source) {
  return source.split('\n').flatMap((text, index) => (/^(?:<{7}|>{7}) /.test(text) ? [{ line: index + 1, text }] : []))
}

/**
 * Pairs of interfaces that share a name and at least half of the fields of one, while an optional field of one is missing in
 * the other. The compiler accepts one in place of the other, so a field renamed in only one of them is silently ignored.
 * @param {{ file: string, source: string }[]} sources
 */
export function disagreeingInterfaces(sources) {
  const byName = new Map()
  for (const { file, source } of sources) {
    for (const [, name, body] of source.matchAll(INTERFACE)) {
      const fields = [...body.matchAll(FIELD)].map(([, field, optional]) => ({ field, isOptional: optional === '?' }))
      byName.set(name, [...(byName.get(name) ?? []), { file, fields }])
    }
  }
  return [...byName].flatMap(([name, declarations]) =>
    declarations.flatMap((declaration, index) =>
      declarations.slice(index + 1).flatMap((other) => {
        const missing = [...missingFields(declaration, other), ...missingFields(other, declaration)]
        const shared = declaration.fields.filter(({ field }) =>
          other.fields.some((same) => same.field === field),
        ).length
        const isAlike = shared > 0 && 2 * shared >= Math.min(declaration.fields.length, other.fields.length)
        return isAlike && missing.length > 0 ? [{ name, files: [declaration.file, other.file], fields: missing }] : []
      }),
    ),
  )
}

/** Optional fields of `declaration` that are missing from `other`. */
function missingFields(declaration, other) {
  return declaration.fields.flatMap(({ field, isOptional }) =>
    isOptional && !other.fields.some((same) => same.field === field) ? [field] : [],
  )
}

/** Violations in the tracked sources and in the subject of the last commit. */
export function checkStyle(root) {
  // an archive of the sources has no git history
  if (!existsSync(join(root, '.git'))) return []
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const files = git('ls-files', '*.ts', '*.tsx', '*.mjs', '*.js', '*.cjs').filter((file) => !file.endsWith('.d.ts'))
  const lines = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8')
    const isProduct = PRODUCT_SOURCE.test(file) && !TEST.test(file)
    const placeholders = isProduct ? rejectedPlaceholders(source) : []
    const clocks = isProduct && !mayStoreClock.has(file) ? storedClocks(source) : []
    const cuts = SOURCE.test(file) && !TEST_FILE.test(file) && !mayCutUnits.has(file) ? unitCuts(source) : []
    return [
      ...rejectedDocstrings(source).map(
        ({ line, text }) => `${file}:${line}: a docstring is a noun phrase or an imperative: ${text}`,
      ),
      ...(TEST_FILE.test(file) ? [] : retiredWords(source)).map(
        ({ line, text }) => `${file}:${line}: a retired word in a comment, see docs/style.md: ${text}`,
      ),
      ...localeDates(source).map(({ line, text }) => `${file}:${line}: no locale reliably formats ISO dates: ${text}`),
      ...clocks.map(
        ({ line, text }) => `${file}:${line}: the time of day may be set back; measure with performance.now(): ${text}`,
      ),
      ...cuts.map(({ line, text }) => `${file}:${line}: cut texts with cutText, which spares emoji: ${text}`),
      ...placeholders.map(({ line, text }) => `${file}:${line}: use named values in SQL, sql\`…\`: ${text}`),
    ]
  })
  const product = files.filter((file) => PRODUCT_SOURCE.test(file) && !TEST.test(file))
  const interfaces = disagreeingInterfaces(
    product.map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') })),
  ).map(
    ({ name, files: [one, other], fields }) =>
      `${one}: ${name} is also declared in ${other}, with different optional fields (${fields.join(', ')}); import it`,
  )
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
  const markers = texts.flatMap((file) =>
    conflictMarkers(readFileSync(join(root, file), 'utf8')).map(
      ({ line, text }) => `${file}:${line}: merge conflict marker: ${text}`,
    ),
  )
  const subjects = rejectedSubjects(git('log', '-1', '--no-merges', '--format=%s'))
  return [...lines, ...interfaces, ...markers, ...subjects.map((subject) => `commit subject: ${subject}`)]
}
