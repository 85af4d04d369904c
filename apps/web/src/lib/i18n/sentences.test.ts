import type { CodedSentence } from '@mira/shared'
import german from '@mira/shared/messages/de/problems.json'
import type english from '@mira/shared/messages/en/problems.json'
import { createTranslator } from 'use-intl/core'
import { expect, it } from 'vitest'

import type { Text } from './i18n.ts'
import { sentenceText } from './sentences.ts'

const translator = (locale: string, messages: typeof english) =>
  createTranslator({ locale, messages: { problems: messages }, namespace: 'problems' }) as unknown as Text<'problems'>
const de = translator('de', german)

const unreachableModel = {
  text: 'No model server can be reached at http://10.0.0.5: nothing listens there.',
  sentences: [{ code: 'model_unreachable', params: { address: 'http://10.0.0.5', cause: 'ECONNREFUSED' } }],
}
const abandonedRun: CodedSentence[] = [{ code: 'run_given_up', params: { times: 3 } }]

it('uses the server’s own sentence in English', () => {
  expect(sentenceText(null, unreachableModel.text, unreachableModel.sentences)).toBe(unreachableModel.text)
})

it('translates the server’s sentences into other languages, with their parameters', () => {
  expect(sentenceText(de, unreachableModel.text, unreachableModel.sentences, 'admin')).toBe(
    'Unter http://10.0.0.5 ist kein Modellserver erreichbar: Dort nimmt nichts Verbindungen an. Starte ihn oder korrigiere OPENAI_BASE_URL.',
  )
  const both = [...abandonedRun, { code: 'learnt_before', params: { percent: 97.5 } }]
  expect(sentenceText(de, '', both)).toBe(
    'Der Server, auf dem das lief, ist 3-mal mittendrin ausgefallen. Vorher waren es 97,5\u00a0%.',
  )
})

it('keeps the English text without a translation, as from a newer server or the system', () => {
  const newer = [...abandonedRun, { code: 'never_heard_of', params: {} }]
  expect(sentenceText(de, 'Something new.', newer)).toBe('Something new.')
  expect(sentenceText(de, 'ENOSPC: no space left on device', [])).toBe('ENOSPC: no space left on device')
})

it('omits details for administrators from other users’ sentences', () => {
  expect(sentenceText(de, '', [{ code: 'nothing_compares_pictures', params: {} }], 'user')).toBe(
    'Hier kann keine Engine Bilder nach ihrem Aussehen vergleichen. Wende dich an einen Administrator.',
  )
  // as the server sends it to users
  const hidden = unreachableModel.sentences.map(({ code, params }) => ({ code, params: { ...params, address: '' } }))
  expect(sentenceText(de, '', hidden, 'user')).toBe(
    'Unter der eingestellten Adresse ist kein Modellserver erreichbar: Dort nimmt nichts Verbindungen an. Wende dich an einen Administrator.',
  )
})
