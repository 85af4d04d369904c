import { readdirSync, readFileSync } from 'node:fs'
import compile from 'icu-minify/compile'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Language, languages } from '../src/constants/languages.ts'

const others = languages.filter((language) => language !== 'en')

/** The texts of one file by their keys, joined by dots. */
function readTexts(folder: string, language: Language, word: string): Map<string, string> {
  const texts = new Map<string, string>()
  const collect = (value: unknown, key: string) => {
    if (typeof value === 'string') texts.set(key, value)
    else for (const [name, child] of Object.entries(value as object)) collect(child, key ? `${key}.${name}` : name)
  }
  collect(JSON.parse(readFileSync(`${folder}/${language}/${word}.json`, 'utf8')), '')
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

/** The names of what a text is filled in with. */
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

/** Words of the other way to address people than a language's texts use: "vous" in French, "du" in German, "tú" in Spanish. */
const otherAddress: Partial<Record<Language, RegExp>> = {
  fr: /(?<!\p{L})(?:tu|te|toi|tes|t’\p{L}+)(?!\p{L})/iu,
  de: /(?<!\p{L})Ihnen(?!\p{L})/u,
  es: /(?<!\p{L})usted(?:es)?(?!\p{L})/iu,
}

/** Message files of one program and the source that uses them. */
export interface MessageFiles {
  /** Holds a folder for each language, with the same files in each. */
  folder: string
  /** The folder of the program's `tsconfig.json`. */
  project: string
  /** Only what this matches can ask for a text; the compiler need not look at the rest. */
  mentions?: RegExp
}

/** Holds the texts of a program to be there in every language, translated, filled in alike, and used. */
export function testMessageFiles({ folder, project, mentions = /./ }: MessageFiles): void {
  const words = readdirSync(`${folder}/en`).map((file) => file.replace('.json', ''))

  describe.each(others)('the texts in "%s"', (language) => {
    it('are in the same files as the English ones', () => {
      expect(readdirSync(`${folder}/${language}`).sort()).toEqual(readdirSync(`${folder}/en`).sort())
    })

    it.each(words)('have the same keys and parameters in %s.json', (word) => {
      const signatures = (texts: Map<string, string>) =>
        Object.fromEntries([...texts].map(([key, text]) => [key, parametersOf(text)]))
      expect(signatures(readTexts(folder, language, word))).toEqual(signatures(readTexts(folder, 'en', word)))
    })

    it.each(words)('address people in one way in %s.json', (word) => {
      // what people say themselves stands in quotes
      const addressed = [...readTexts(folder, language, word)].map(([, text]) => text.replace(/«[^»]*»/gu, ''))
      expect(addressed.filter((text) => otherAddress[language]?.test(text))).toEqual([])
    })

    it.each(words)('are written with plain spaces in %s.json', (word) => {
      // those that must not break are made where the texts are read
      expect([...readTexts(folder, language, word)].filter(([, text]) => /[\u00a0\u202f]/.test(text))).toEqual([])
    })

    it.each(words)('are translated in %s.json', (word) => {
      const english = readTexts(folder, 'en', word)
      const untranslated = [...readTexts(folder, language, word)].filter(
        ([key, text]) => text === '' || (text === english.get(key) && isSentence(text)),
      )
      expect(untranslated).toEqual([])
    })
  })

  describe('the texts', () => {
    let usedKeys: Map<string, Set<string>>
    let unknowable: string[]

    beforeAll(() => {
      ;({ usedKeys, unknowable } = findUses(project, mentions))
    }, 120_000)

    it('are asked for by keys that the compiler knows', () => {
      expect(unknowable).toEqual([])
    })

    it.each(words)('are all used in %s.json', (word) => {
      const unused = [...readTexts(folder, 'en', word).keys()].filter((key) => !usedKeys.get(word)?.has(key))
      expect(unused).toEqual([])
    })
  })
}

/** Methods of a use-intl translator. */
const translatorMethods = new Set(['rich', 'markup', 'raw', 'has'])

/** Every key that the source may ask a translator for, by word, as the compiler sees it. */
function findUses(project: string, mentions: RegExp): { usedKeys: Map<string, Set<string>>; unknowable: string[] } {
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
  const unknowable: string[] = []

  const wordOf = (expression: ts.Expression): string | undefined => {
    const { aliasSymbol, aliasTypeArguments } = checker.getTypeAtLocation(expression)
    // `Text<'users'>` of lib/i18n.ts is use-intl's `Translator<Messages, 'users'>`.
    const word = { Text: aliasTypeArguments?.[0], Translator: aliasTypeArguments?.[1] }[aliasSymbol?.name ?? '']
    return word?.isStringLiteral() ? word.value : undefined
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
      const word = callee && wordOf(callee)
      if (word && key) {
        const type = checker.getTypeAtLocation(key)
        const literals = (type.isUnion() ? type.types : [type]).filter((one) => one.isStringLiteral())
        if (literals.length === 0) unknowable.push(`${node.getSourceFile().fileName}: ${node.getText()}`)
        const keys = usedKeys.get(word) ?? new Set<string>()
        for (const { value } of literals) keys.add(value)
        usedKeys.set(word, keys)
      }
    }
    node.forEachChild(visit)
  }
  for (const source of program.getSourceFiles()) {
    if (sources.includes(source.fileName)) visit(source)
  }
  return { usedKeys, unknowable }
}
