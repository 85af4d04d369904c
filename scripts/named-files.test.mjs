import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^(apps|packages|scripts|e2e|bench)\//.test(file) && /\.(ts|tsx|mjs)$/.test(file) && !isMade(file),
)

function isMade(file) {
  return /(^|\/)(node_modules|dist|generated|\.turbo)\//.test(file) || file.endsWith('.d.ts')
}

/** Parts of a path as a source writes it: a string for what is fixed, null for what a variable fills in. */
function partsOf(node) {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (!ts.isTemplateExpression(node)) return [null]
  return [node.head.text, ...node.templateSpans.flatMap(({ literal }) => [null, literal.text])]
}

/** Paths that a source names from its own folder, as lists of parts: `join(import.meta.dirname, …)`, `new URL(…, import.meta.url)`. */
function namedPaths(file, text) {
  const named = []
  const visit = (node) => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return
    const [first, ...rest] = node.arguments ?? []
    const callee = node.expression.getText()
    const [from] = rest.map((argument) => argument.getText())
    if (callee === 'URL' && from === 'import.meta.url') named.push(partsOf(first))
    const isJoin = /^(path\.)?(join|resolve)$/.test(callee) && first?.getText() === 'import.meta.dirname'
    if (isJoin) named.push(rest.flatMap((argument) => ['/', ...partsOf(argument)]).slice(1))
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return named
}

/** True when a file or folder is there; where a variable fills in a name, when one is there that fits. */
function isThere(folder, parts) {
  const segments = parts
    .map((part) => part ?? '\0')
    .join('')
    .split('/')
    .filter(Boolean)
  const fits = (place, [segment, ...rest]) => {
    if (segment === undefined) return true
    if (!segment.includes('\0')) return existsSync(join(root, place, segment)) && fits(join(place, segment), rest)
    const escaped = segment.split('\0').map((fixed) => fixed.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const pattern = new RegExp(`^${escaped.join('.*')}$`)
    return readdirSync(join(root, place), { withFileTypes: true }).some(
      (entry) =>
        pattern.test(entry.name) && (rest.length === 0 || (entry.isDirectory() && fits(join(place, entry.name), rest))),
    )
  }
  return existsSync(join(root, folder)) && fits(folder, segments)
}

/** Made by a build or a run, or missing on purpose; each with what it is. */
const NOT_THERE = [
  '/node_modules/.cache/mira-compiled', // compiled code, kept by a start
  '/node_modules/.cache/mira', // what tests prepare once
  '/node_modules/.cache/mira/',
  'task-process.test.ts: ./nowhere.ts', // a process that cannot start
]

test('every file that a source names from its own folder is there', () => {
  const missing = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    if (!text.includes('import.meta')) return []
    return namedPaths(file, text)
      .filter((parts) => !isThere(dirname(file), parts))
      .map((parts) => `${file}: ${parts.map((part) => part ?? '*').join('')}`)
  })
  expect(missing.filter((line) => !NOT_THERE.some((path) => line.endsWith(path)))).toEqual([])
})

test('a file that has moved away is noticed', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a file, as text
  const [parts] = namedPaths('a.ts', "join(import.meta.dirname, 'intents', `${language}.json`)")
  expect(isThere('apps/api/src/offline', parts)).toBe(true)
  expect(isThere('apps/api/src/offline/intents', parts)).toBe(false)
})

/** Made by a run, so not among the sources. */
const MADE = /^(DATA_DIR|test-results|(apps\/\w+\/)?dist|restoring)\//

test('every file and folder that the guides name is there', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const names = new Set(tracked.flatMap((file) => endingsOf(file)))
  const isGuide = (file) =>
    /^(?:ARCHITECTURE|CONTRIBUTING|docs\/(?:where-to-change-what|journeys|decisions\/.*))\.md$/.test(file)
  const guides = tracked.filter(isGuide)
  const missing = guides.flatMap((guide) => {
    const named = readFileSync(join(root, guide), 'utf8').matchAll(/`(\w[\w.-]*\/[\w./-]*)`/g)
    const paths = [...named].map(([, path]) => path.replace(/\/$/, '')).filter((path) => !MADE.test(`${path}/`))
    return paths.filter((path) => !names.has(path)).map((path) => `${guide}: ${path}`)
  })
  expect(missing).toEqual([])
})

/** The ways to name a file or one of its folders: from any folder on, with its extension or without. */
function endingsOf(file) {
  const parts = file.split('/')
  const wholes = parts.map((_, index) => parts.slice(0, index + 1))
  wholes.push(file.replace(/\.tsx?$/, '').split('/'))
  return wholes.flatMap((whole) => whole.map((_, index) => whole.slice(index).join('/')))
}
