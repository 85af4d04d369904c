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

const refused = {
  text: 'No model server can be reached at http://10.0.0.5: nothing listens there.',
  told: [{ code: 'model_unreachable', params: { address: 'http://10.0.0.5', cause: 'ECONNREFUSED' } }],
}
const runs: CodedSentence[] = [{ code: 'run_given_up', params: { times: 3 } }]

it('what the server told is its own sentence in English', () => {
  expect(sentenceText(null, refused.text, refused.told)).toBe(refused.text)
})

it('what the server told is said in other languages, with what stands in it', () => {
  expect(sentenceText(de, refused.text, refused.told, 'admin')).toBe(
    'Unter http://10.0.0.5 ist kein Modellserver erreichbar: Dort nimmt nichts Verbindungen an. Starte ihn oder korrigiere OPENAI_BASE_URL.',
  )
  const both = [...runs, { code: 'learnt_before', params: { percent: 97.5 } }]
  expect(sentenceText(de, '', both)).toBe(
    'Der Server, auf dem das lief, ist 3-mal mittendrin ausgefallen. Vorher waren es 97,5\u00a0%.',
  )
})

it('what nobody worded, as by a newer server or the system, stays English', () => {
  const newer = [...runs, { code: 'never_heard_of', params: {} }]
  expect(sentenceText(de, 'Something new.', newer)).toBe('Something new.')
  expect(sentenceText(de, 'ENOSPC: no space left on device', [])).toBe('ENOSPC: no space left on device')
})

it('what only administrators may know is in the sentences of nobody else', () => {
  expect(sentenceText(de, '', [{ code: 'nothing_compares_pictures', params: {} }], 'user')).toBe(
    'Hier kann keine Engine Bilder nach ihrem Aussehen vergleichen. Wende dich an einen Administrator.',
  )
  // as the server sends it to users
  const hidden = refused.told.map(({ code, params }) => ({ code, params: { ...params, address: '' } }))
  expect(sentenceText(de, '', hidden, 'user')).toBe(
    'Unter der eingestellten Adresse ist kein Modellserver erreichbar: Dort nimmt nichts Verbindungen an. Wende dich an einen Administrator.',
  )
})
