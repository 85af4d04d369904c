import { readdirSync, readFileSync } from 'node:fs'
import compile from 'icu-minify/compile'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Language, languages } from '../src/constants/languages.ts'

const otherLanguages = languages.filter((language) => language !== 'en')

/** Texts of one file by their keys, joined by dots. */
function readTexts(folder: string, language: Language, namespace: string): Map<string, string> {
  const texts = new Map<string, string>()
  const collect = (value: unknown, key: string) => {
    if (typeof value === 'string') texts.set(key, value)
    else for (const [name, child] of Object.entries(value as object)) collect(child, key ? `${key}.${name}` : name)
  }
  collect(JSON.parse(readFileSync(`${folder}/${language}/${namespace}.json`, 'utf8')), '')
  return texts
}

type Part = string | 0 | [name: string, kind?: unknown, choices?: unknown]

/** Visits the parts of a compiled text and of its branches: plain words, "#", arguments and tags. */
function visitParts(message: unknown, visit: (part: Part) => void): void {
  for (const part of (Array.isArray(message) ? message : [message]) as Part[]) {
    visit(part)
    if (!Array.isArray(part)) continue
    const [, kind, choices] = part
    const hasBranches = typeof kind === 'number' && kind >= 1 && kind <= 3
    for (const inner of hasBranches ? Object.values(choices as object) : [part.slice(1)]) visitParts(inner, visit)
  }
}

/** Names of a text's parameters. */
export function parametersOf(text: string): string[] {
  const names = new Set<string>()
  visitParts(compile(text), (part) => {
    if (Array.isArray(part)) names.add(part[0])
  })
  return [...names].sort()
}

/** Single words can be the same in two languages ("Chat", "{count} tokens"); sentences are not. */
function isSentence(text: string): boolean {
  let longest = 0
  visitParts(compile(text), (part) => {
    if (typeof part === 'string') longest = Math.max(longest, part.match(/\p{L}{2,}/gu)?.length ?? 0)
  })
  return longest >= 3
}

/** Words of the form of address that a language's texts don't use: "vous" in French, "du" in German, "tú" in Spanish. */
const otherAddress: Partial<Record<Language, RegExp>> = {
  fr: /(?<!\p{L})(?:tu|te|toi|tes|t’\p{L}+)(?!\p{L})/iu,
  de: /(?<!\p{L})Ihnen(?!\p{L})/u,
  es: /(?<!\p{L})usted(?:es)?(?!\p{L})/iu,
}

/** Message files of one program and the source that uses them. */
export interface MessageFiles {
  /** Has a folder for each language, with the same files in each. */
  folder: string
  /** Folder of the program's `tsconfig.json`. */
  project: string
  /** Matches the sources that can use a text; the compiler skips the rest. */
  mentions?: RegExp
}

/** Tests that a program's texts exist in every language, are translated, have the same parameters, and are used. */
export function testMessageFiles({ folder, project, mentions = /./ }: MessageFiles): void {
  const namespaces = readdirSync(`${folder}/en`).map((file) => file.replace('.json', ''))

  describe.each(otherLanguages)('the texts in "%s"', (language) => {
    it('are in the same files as the English ones', () => {
      expect(readdirSync(`${folder}/${language}`).sort()).toEqual(readdirSync(`${folder}/en`).sort())
    })

    it.each(namespaces)('have the same keys and parameters in %s.json', (namespace) => {
      const signatures = (texts: Map<string, string>) =>
        Object.fromEntries([...texts].map(([key, text]) => [key, parametersOf(text)]))
      expect(signatures(readTexts(folder, language, namespace))).toEqual(signatures(readTexts(folder, 'en', namespace)))
    })

    it.each(namespaces)('use one form of address in %s.json', (namespace) => {
      // quotes contain what users say themselves
      const withoutQuotes = [...readTexts(folder, language, namespace)].map(([, text]) => text.replace(/«[^»]*»/gu, ''))
      expect(withoutQuotes.filter((text) => otherAddress[language]?.test(text))).toEqual([])
    })

    it.each(namespaces)('are written with plain spaces in %s.json', (namespace) => {
      // no-break spaces are inserted where the texts are read
      expect([...readTexts(folder, language, namespace)].filter(([, text]) => /[\u00a0\u202f]/.test(text))).toEqual([])
    })

    it.each(namespaces)('are translated in %s.json', (namespace) => {
      const english = readTexts(folder, 'en', namespace)
      const untranslated = [...readTexts(folder, language, namespace)].filter(
        ([key, text]) => text === '' || (text === english.get(key) && isSentence(text)),
      )
      expect(untranslated).toEqual([])
    })
  })

  describe('the texts', () => {
    let usedKeys: Map<string, Set<string>>
    let unresolved: string[]

    beforeAll(() => {
      ;({ usedKeys, unresolved } = findUses(project, mentions))
    }, 120_000)

    it('are used with keys that the compiler can resolve', () => {
      expect(unresolved).toEqual([])
    })

    it.each(namespaces)('are all used in %s.json', (namespace) => {
      const unused = [...readTexts(folder, 'en', namespace).keys()].filter((key) => !usedKeys.get(namespace)?.has(key))
      expect(unused).toEqual([])
    })
  })
}

/** Methods of a use-intl translator. */
const translatorMethods = new Set(['rich', 'markup', 'raw', 'has'])

/** Every key that the source may pass to a translator, by namespace, as resolved by the compiler. */
function findUses(project: string, mentions: RegExp): { usedKeys: Map<string, Set<string>>; unresolved: string[] } {
  const config = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${project}/tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    project,
  )
  const sources = config.fileNames.filter(
    (file) => !/\.test\.tsx?$/.test(file) && mentions.test(readFileSync(file, 'utf8')),
  )
  const program = ts.createProgram(sources, config.options)
  const checker = program.getTypeChecker()
  const usedKeys = new Map<string, Set<string>>()
  const unresolved: string[] = []

  const namespaceOf = (expression: ts.Expression): string | undefined => {
    const { aliasSymbol, aliasTypeArguments } = checker.getTypeAtLocation(expression)
    // `Text<'users'>` of lib/i18n.ts is use-intl's `Translator<Messages, 'users'>`.
    const namespace = { Text: aliasTypeArguments?.[0], Translator: aliasTypeArguments?.[1] }[aliasSymbol?.name ?? '']
    return namespace?.isStringLiteral() ? namespace.value : undefined
  }

  /** Possible translator in a call; asking the compiler about everything else would take most of the time. */
  const calleeOf = ({ expression }: ts.CallExpression): ts.Expression | undefined => {
    if (!ts.isPropertyAccessExpression(expression)) return expression
    return translatorMethods.has(expression.name.text) ? expression.expression : undefined
  }

  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node)) {
      const key = node.arguments[0]
      const callee = key && calleeOf(node)
      const namespace = callee && namespaceOf(callee)
      if (namespace && key) {
        const type = checker.getTypeAtLocation(key)
        const literals = (type.isUnion() ? type.types : [type]).filter((one) => one.isStringLiteral())
        if (literals.length === 0) unresolved.push(`${node.getSourceFile().fileName}: ${node.getText()}`)
        const keys = usedKeys.get(namespace) ?? new Set<string>()
        for (const { value } of literals) keys.add(value)
        usedKeys.set(namespace, keys)
      }
    }
    node.forEachChild(visit)
  }
  for (const source of program.getSourceFiles()) {
    if (sources.includes(source.fileName)) visit(source)
  }
  return { usedKeys, unresolved }
}
