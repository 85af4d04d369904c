import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { languages } from '@mira/shared/constants/languages'
import { settingsCodes } from '@mira/shared/constants/setup'
import english from '@mira/shared/messages/en/problems.json' with { type: 'json' }
import { parametersOf } from '@mira/shared/test/message-files'
import ts from 'typescript'
import { createTranslator } from 'use-intl/core'
import { describe, expect, test } from 'vitest'
import { adminParams, forUsers, readSentence, say, sayAll, writeSentence } from './sentences.ts'

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

test('every code has a text with the parameters of its type', () => {
  const texts = new Map(
    [...catalogue].map(([code, text]) => [code, parametersOf(text).filter((name) => name !== 'audience')]),
  )
  expect(Object.fromEntries(texts)).toEqual(Object.fromEntries(declaredParameters()))
})

test('every code is used in the source', () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.includes('generated'))
    .map((name) => readFileSync(`${import.meta.dirname}/${name}`, 'utf8'))
    .join('\n')
  expect([...catalogue.keys()].filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})

test('a sentence is stored with the keys that earlier versions read', () => {
  const slow = say('run_slow', { seconds: 90 })
  expect(JSON.parse(writeSentence(slow))).toEqual({ text: slow.text, told: slow.sentences })
  expect(readSentence(writeSentence(slow))).toEqual(slow)
  expect(readSentence('null')).toBeNull()
})

test('a sentence has its English text and its code; several are joined to one text', () => {
  const slow = say('run_slow', { seconds: 90 })
  expect(slow).toEqual({
    text: 'It took longer than 90 seconds.',
    sentences: [{ code: 'run_slow', params: { seconds: 90 } }],
  })
  const unnamed = { text: 'ENOSPC: no space left on device', sentences: [] }
  expect(sayAll(slow, say('run_failed', {}))).toEqual({
    text: 'It took longer than 90 seconds. It failed without giving a reason.',
    sentences: [...slow.sentences, { code: 'run_failed', params: {} }],
  })
  expect(sayAll(slow, unnamed).sentences).toEqual([])
  expect(say('content_damaged', { kind: 'named', name: 'Picture {1}' }).text).toBe(
    'Picture {1} is damaged: it can’t be decoded.',
  )
})

describe('for users who aren’t administrators', () => {
  const SECRET = 'http://10.0.0.7:8080'
  const example = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8')
  const variables = [...example.matchAll(/^#? ?([A-Z]+(?:_[A-Z]+)+)=/gm)].map(([, name]) => name as string)
  /** Value of each parameter: SECRET for those that only administrators see, harmless for the others. */
  const paramsOf = (code: string, text: string) =>
    Object.fromEntries(
      parametersOf(text)
        .filter((name) => name !== 'audience')
        .map((name) => [name, adminParams[code as keyof typeof adminParams]?.includes(name) ? SECRET : 1]),
    )
  const revealsSetup = (text: string) => text.includes(SECRET) || variables.some((name) => text.includes(name))

  test.each(languages)('no sentence in "%s" contains an address, a variable or a server’s message', (language) => {
    const file = new URL(`../../../packages/shared/src/messages/${language}/problems.json`, import.meta.url)
    const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    const translate = createTranslator({ locale: language, messages: { problems: texts }, namespace: 'problems' })
    const textsFor = (audience: string) =>
      Object.entries(texts).map(([code, text]) =>
        translate(code as never, { audience, ...paramsOf(code, text) } as never),
      )
    expect(variables.length).toBeGreaterThan(30)
    expect(textsFor('user').filter(revealsSetup)).toEqual([])
    expect(textsFor('admin').filter((text) => text.includes(SECRET))).toHaveLength(Object.keys(adminParams).length)
  })

  test('the sentences that name a variable to administrators are those shown with a link to the settings', () => {
    const withVariable = [...catalogue].filter(
      ([, text]) => text.includes('{variable}') || variables.some((name) => text.includes(name)),
    )
    expect([...settingsCodes].sort()).toEqual(withVariable.map(([code]) => code).sort())
  })

  test('responses don’t contain these in texts or parameters either', () => {
    const responses = [...catalogue].map(([code, text]) => {
      const params = paramsOf(code, text)
      return forUsers({ text: SECRET, sentences: [{ code, params }] })
    })
    expect(responses.filter(({ sentences }) => JSON.stringify(sentences).includes(SECRET))).toEqual([])
    const reworded = responses.filter(
      ({ sentences: [one] }) => one && english[one.code as keyof typeof english].includes('audience'),
    )
    expect(reworded.filter(({ text }) => revealsSetup(text))).toEqual([])
    expect(forUsers(say('model_unreachable', { address: SECRET, cause: 'ECONNREFUSED' }))).toEqual({
      text: 'No model server can be reached at the configured address: nothing is listening there. Ask an administrator.',
      sentences: [{ code: 'model_unreachable', params: { address: '', cause: 'ECONNREFUSED' } }],
    })
  })
})
