import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import english from '@mira/shared/messages/en/problems.json' with { type: 'json' }
import { parametersOf } from '@mira/shared/test/message-files'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { say, sayAll } from './sentences.ts'

const catalogue = new Map(Object.entries(english))

/** Names of each sentence's parameters, as `SentenceParams` has them. */
function declaredParameters(): Map<string, string[]> {
  const file = fileURLToPath(new URL('../../../packages/shared/src/sentences.ts', import.meta.url))
  const program = ts.createProgram([file], { allowImportingTsExtensions: true, noEmit: true, strict: true })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const declaration = source?.statements.find(
    (one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === 'SentenceParams',
  )
  if (declaration === undefined) throw new Error('sentences.ts has no SentenceParams')
  return new Map(
    checker.getPropertiesOfType(checker.getTypeAtLocation(declaration)).map((code) => {
      const params = checker.getTypeOfSymbol(code)
      return [
        code.name,
        checker
          .getPropertiesOfType(params)
          .map(({ name }) => name)
          .sort(),
      ]
    }),
  )
}

test('every code has a text with the parameters that its type names', () => {
  const texts = new Map([...catalogue].map(([code, text]) => [code, parametersOf(text)]))
  expect(Object.fromEntries(texts)).toEqual(Object.fromEntries(declaredParameters()))
})

test('every code is said somewhere', () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.includes('generated'))
    .map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
    .join('\n')
  expect([...catalogue.keys()].filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})

test('a sentence is its English text and its code, several are one text', () => {
  const slow = say('run_slow', { seconds: 90 })
  expect(slow).toEqual({
    text: 'It took longer than 90 seconds.',
    told: [{ code: 'run_slow', params: { seconds: 90 } }],
  })
  const unnamed = { text: 'ENOSPC: no space left on device', told: [] }
  expect(sayAll(slow, say('run_failed', {}))).toEqual({
    text: 'It took longer than 90 seconds. It failed without a reason.',
    told: [...slow.told, { code: 'run_failed', params: {} }],
  })
  expect(sayAll(slow, unnamed).told).toEqual([])
  expect(say('content_damaged', { kind: 'named', name: 'Picture {1}' }).text).toBe(
    'Picture {1} is damaged: it cannot be decoded.',
  )
})
