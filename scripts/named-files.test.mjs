import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^(apps|packages|scripts|e2e|bench)\//.test(file) && /\.(ts|tsx|mjs)$/.test(file) && !isGenerated(file),
)

function isGenerated(file) {
  return /(^|\/)(node_modules|dist|generated|\.turbo)\//.test(file) || file.endsWith('.d.ts')
}

/** Parts of a path in a source: a string for a fixed part, null for a variable. */
function partsOf(node) {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (!ts.isTemplateExpression(node)) return [null]
  return [node.head.text, ...node.templateSpans.flatMap(({ literal }) => [null, literal.text])]
}

/** Paths in a source that are relative to its own folder, as lists of parts: `join(import.meta.dirname, …)`, `new URL(…, import.meta.url)`. */
function namedPaths(file, text) {
  const paths = []
  const visit = (node) => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return
    const [first, ...rest] = node.arguments ?? []
    const callee = node.expression.getText()
    const [from] = rest.map((argument) => argument.getText())
    if (callee === 'URL' && from === 'import.meta.url') paths.push(partsOf(first))
    const isJoin = /^(path\.)?(join|resolve)$/.test(callee) && first?.getText() === 'import.meta.dirname'
    if (isJoin) paths.push(rest.flatMap((argument) => ['/', ...partsOf(argument)]).slice(1))
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return paths
}

/** True when a file or folder exists; with a variable in its name, when one matches. */
function pathExists(folder, parts) {
  const segments = parts
    .map((part) => part ?? '\0')
    .join('')
    .split('/')
    .filter(Boolean)
  const matches = (place, [segment, ...rest]) => {
    if (segment === undefined) return true
    if (!segment.includes('\0')) return existsSync(join(root, place, segment)) && matches(join(place, segment), rest)
    const escaped = segment.split('\0').map((fixed) => fixed.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    const pattern = new RegExp(`^${escaped.join('.*')}$`)
    return readdirSync(join(root, place), { withFileTypes: true }).some(
      (entry) =>
        pattern.test(entry.name) &&
        (rest.length === 0 || (entry.isDirectory() && matches(join(place, entry.name), rest))),
    )
  }
  return existsSync(join(root, folder)) && matches(folder, segments)
}

/** Created by a build or a run, or missing on purpose; each with a description. */
const MISSING = [
  '/node_modules/.cache/mira-compiled', // compiled code, cached at start
  '/node_modules/.cache/mira', // fixtures that tests prepare once
  '/node_modules/.cache/mira/',
  'task-process.test.ts: ./nowhere.ts', // a process that cannot start
]

test('every file that a source refers to from its own folder exists', () => {
  const missing = sources.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    if (!text.includes('import.meta')) return []
    return namedPaths(file, text)
      .filter((parts) => !pathExists(dirname(file), parts))
      .map((parts) => `${file}: ${parts.map((part) => part ?? '*').join('')}`)
  })
  expect(missing.filter((line) => !MISSING.some((path) => line.endsWith(path)))).toEqual([])
})

test('detects a file that has moved', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a file, as text
  const [parts] = namedPaths('a.ts', "join(import.meta.dirname, 'intents', `${language}.json`)")
  expect(pathExists('apps/api/src/offline', parts)).toBe(true)
  expect(pathExists('apps/api/src/offline/intents', parts)).toBe(false)
})

/** Created by a run, so not among the sources. */
const CREATED = /^(DATA_DIR|test-results|(apps\/\w+\/)?dist|restoring)\//

test('every file and folder that the guides name exists', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const names = new Set(tracked.flatMap((file) => suffixesOf(file)))
  const isGuide = (file) =>
    /^(?:ARCHITECTURE|CONTRIBUTING|docs\/(?:where-to-change-what|journeys|decisions\/.*))\.md$/.test(file)
  const guides = tracked.filter(isGuide)
  const missing = guides.flatMap((guide) => {
    const quotedPaths = readFileSync(join(root, guide), 'utf8').matchAll(/`(\w[\w.-]*\/[\w./-]*)`/g)
    const paths = [...quotedPaths]
      .map(([, path]) => path.replace(/\/$/, ''))
      .filter((path) => !CREATED.test(`${path}/`))
    return paths.filter((path) => !names.has(path)).map((path) => `${guide}: ${path}`)
  })
  expect(missing).toEqual([])
})

/** Every way to name a file or one of its folders: from any folder on, with or without its extension. */
function suffixesOf(file) {
  const parts = file.split('/')
  const fullPaths = parts.map((_, index) => parts.slice(0, index + 1))
  fullPaths.push(file.replace(/\.tsx?$/, '').split('/'))
  return fullPaths.flatMap((fullPath) => fullPath.map((_, index) => fullPath.slice(index).join('/')))
}
