import type { CodedSentence } from '@mira/shared'
import { withoutSetup } from '@mira/shared/constants/setup'
import german from '@mira/shared/messages/de/problems.json'
import type english from '@mira/shared/messages/en/problems.json'
import { createTranslator } from 'use-intl/core'
import { expect, it } from 'vitest'

import type { Text } from './i18n.ts'
import { sentenceText, withHidden } from './sentences.ts'

const translator = (locale: string, messages: typeof english) =>
  createTranslator({ locale, messages: { problems: messages }, namespace: 'problems' }) as unknown as Text<'problems'>
const de = translator('de', german)

const refused = {
  text: 'No model server can be reached at http://10.0.0.5: nothing listens there.',
  told: [{ code: 'model_unreachable', params: { address: 'http://10.0.0.5', cause: 'ECONNREFUSED' } }],
}
const runs: CodedSentence[] = [{ code: 'run_given_up', params: { times: 3 } }]

it('what the server told is its own sentence in English', () => {
  expect(sentenceText(null, refused.text, refused.told)).toBe(refused.text)
})

it('what the server told is said in other languages, with what stands in it', () => {
  expect(sentenceText(de, refused.text, refused.told)).toBe(
    'Unter http://10.0.0.5 ist kein Modellserver erreichbar: dort hört niemand zu. Starte ihn oder berichtige OPENAI_BASE_URL.',
  )
  const both = [...runs, { code: 'learnt_before', params: { percent: 97.5 } }]
  expect(sentenceText(de, '', both)).toBe(
    'Der Server, auf dem das lief, endete 3-mal mittendrin. Vorher waren es 97,5 %.',
  )
})

it('what nobody worded, as by a newer server or the system, stays English', () => {
  const newer = [...runs, { code: 'never_heard_of', params: {} }]
  expect(sentenceText(de, 'Something new.', newer)).toBe('Something new.')
  expect(sentenceText(de, 'ENOSPC: no space left on device', [])).toBe('ENOSPC: no space left on device')
})

it('names of variables and addresses are for administrators alone', () => {
  const plain = (text: string) => withoutSetup(text, 'the address that is set')
  expect(plain('Nothing compares pictures by how they look. Set LOCAL_MODELS=auto, so that a model runs here.')).toBe(
    'Nothing compares pictures by how they look.',
  )
  expect(plain('Set RERANK_MODEL, or choose one.')).toBe('')
  expect(plain('The disk is full. Ask an administrator.')).toBe('The disk is full. Ask an administrator.')
})

it('what is missing is named to everybody all the same', () => {
  expect(withoutSetup(refused.text, 'the address that is set')).toBe(
    'No model server can be reached at the address that is set: nothing listens there.',
  )
  expect(withoutSetup(sentenceText(de, refused.text, refused.told), 'der eingestellten Adresse')).toBe(
    'Unter der eingestellten Adresse ist kein Modellserver erreichbar: dort hört niemand zu.',
  )
  // as the server tells it to whoever is no administrator
  const hidden = refused.told.map(({ code, params }) => withHidden({ code, params: { ...params, address: '' } }))
  expect(withoutSetup(sentenceText(de, refused.text, hidden), 'der eingestellten Adresse')).toBe(
    'Unter der eingestellten Adresse ist kein Modellserver erreichbar: dort hört niemand zu.',
  )
  const service = 'The service that reads files (PARSER_SOCKET) does not answer.'
  expect(withoutSetup(service, '')).toBe('The service that reads files does not answer.')
})
