import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

/** @typedef {{ file: string, line: number, source: string, flags: string }} FoundRegex `file` is relative to the root. */
/** @typedef {{ file: string, line: number, expression: string }} UnresolvedRegex a pattern known only at run time. */

/**
 * Finds all regular expressions in TypeScript sources: literals, and `RegExp(…)` whose pattern can be evaluated from
 * constants of the same file. Skips tests and generated code.
 * @param {string} root absolute path
 * @param {string[]} folders relative to `root`
 * @returns {{ regexes: FoundRegex[], unresolved: UnresolvedRegex[] }}
 */
export function findRegexes(root, folders) {
  const regexes = []
  const unresolved = []
  for (const path of folders.flatMap((folder) => sourcesIn(join(root, folder)))) {
    const text = readFileSync(path, 'utf8')
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
    const file = relative(root, path)
    const lineOf = (node) => tree.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const constants = constantsOf(tree)
    const visit = (node) => {
      if (ts.isRegularExpressionLiteral(node)) regexes.push({ file, line: lineOf(node), ...regexOf(node) })
      else if (isRegExpCall(node)) {
        const regex = constructedRegex(node, constants)
        if (regex !== null) regexes.push({ file, line: lineOf(node), ...regex })
        else unresolved.push({ file, line: lineOf(node), expression: node.getText().replace(/\s+/g, ' ') })
      }
      ts.forEachChild(node, visit)
    }
    visit(tree)
  }
  return { regexes, unresolved }
}

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'generated' ? [] : sourcesIn(path)
    return /\.tsx?$/.test(entry.name) && !/\.(?:test|d)\.ts$/.test(entry.name) ? [path] : []
  })
}

function constantsOf(tree) {
  const constants = new Map()
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined) {
      constants.set(node.name.text, node.initializer)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return constants
}

function regexOf(literal) {
  const end = literal.text.lastIndexOf('/')
  return { source: literal.text.slice(1, end), flags: literal.text.slice(end + 1) }
}

const isRegExpCall = (node) =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === 'RegExp'

/** Regular expression that a call of `RegExp` creates; null when its pattern or flags aren't constant. */
function constructedRegex(call, constants) {
  const [pattern, flags] = call.arguments ?? []
  const source = pattern === undefined ? null : constantOf(pattern, constants)
  const flagText = flags === undefined ? '' : constantOf(flags, constants)
  return source === null || flagText === null ? null : { source: sourceText(source), flags: flagText }
}

const sourceText = (value) => (typeof value === 'string' ? value : value.source)

/** Value of a constant expression: a string, `{source, flags}` for a regex, or an array of these; null for other expressions. */
function constantOf(node, constants, depth = 0) {
  if (depth > 20) return null
  const evaluate = (child) => constantOf(child, constants, depth + 1)
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (ts.isRegularExpressionLiteral(node)) return regexOf(node)
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return evaluate(node.expression)
  if (ts.isIdentifier(node)) return constants.has(node.text) ? evaluate(constants.get(node.text)) : null
  if (ts.isTemplateExpression(node)) return joinTemplate(node, (part) => part.text, evaluate)
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw') {
    const rawOf = (part) => part.rawText ?? part.text
    return ts.isTemplateExpression(node.template) ? joinTemplate(node.template, rawOf, evaluate) : rawOf(node.template)
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [evaluate(node.left), evaluate(node.right)]
    return typeof left === 'string' && typeof right === 'string' ? left + right : null
  }
  if (ts.isArrayLiteralExpression(node)) {
    const values = node.elements.map(evaluate)
    return values.every((value) => typeof value === 'string') ? values : null
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    const regex = evaluate(node.expression)
    return regex === null || typeof regex === 'string' || Array.isArray(regex) ? null : regex.source
  }
  if (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'join'
  ) {
    const [list, separator] = [evaluate(node.expression.expression), node.arguments[0] && evaluate(node.arguments[0])]
    return Array.isArray(list) && typeof separator === 'string' ? list.join(separator) : null
  }
  return null
}

function joinTemplate(template, textOf, evaluate) {
  let text = textOf(template.head)
  for (const span of template.templateSpans) {
    const value = evaluate(span.expression)
    if (typeof value !== 'string') return null
    text += value + textOf(span.literal)
  }
  return text
}
