import type { CodedSentence, SentenceCode, SentenceParams } from '@mira/shared'
import english from '@mira/shared/messages/en/problems.json' with { type: 'json' }
import { createTranslator } from 'use-intl/core'

/** English text for a user and the same sentences as codes; without codes when the text comes from another program. */
export interface Sentence {
  text: string
  told: CodedSentence[]
}

type Translate = (code: SentenceCode, params: Record<string, string | number>) => string

const translatorOf = (options: Pick<Parameters<typeof createTranslator>[0], 'onError' | 'getMessageFallback'>) =>
  createTranslator({
    locale: 'en',
    messages: { problems: english as Record<SentenceCode, string> },
    namespace: 'problems',
    timeZone: 'UTC',
    ...options,
  }) as unknown as Translate

const translate = translatorOf({
  onError: (error) => {
    throw error
  },
})

/** A sentence of the catalogue, in English as worded for administrators, and as a code. */
export function say<Code extends SentenceCode>(code: Code, params: SentenceParams[Code]): Sentence {
  return { text: translate(code, { audience: 'admin', ...params }), told: [{ code, params }] }
}

/** Codes with one of these parameters; a code without parameters is an index signature, so it's left out. */
type WithParam<Name extends string> = {
  [Code in SentenceCode]: string extends keyof SentenceParams[Code]
    ? never
    : Extract<keyof SentenceParams[Code], Name> extends never
      ? never
      : Code
}[SentenceCode]
type WithServer = WithParam<'address' | 'variable'>

/** Parameters that only administrators see, by code: addresses of model servers, names of variables, and servers' own messages. */
export const adminParams: Readonly<
  Record<WithServer, readonly string[]> & Partial<Record<SentenceCode, readonly string[]>>
> = {
  not_connected: ['variable'],
  server_waiting: ['address'],
  folder_outside: ['path'],
  not_listed: ['address', 'variable'],
  model_gone: ['address'],
  model_timeout: ['address'],
  model_call_timeout: ['address'],
  answer_cut_off: ['address', 'said'],
  answer_broken_off: ['address'],
  answer_ended_empty: ['address'],
  answer_stopped: ['address'],
  answer_fell_silent: ['address'],
  answer_not_begun: ['address'],
  model_unreachable: ['address'],
  capability_missing: ['address', 'variable', 'said'],
  model_key_refused: ['address'],
  model_not_found: ['address', 'variable'],
  no_model_service: ['address'],
  page_instead_of_models: ['address'],
  connection_unreachable: ['address'],
  model_error: ['address', 'said'],
  model_error_silent: ['address'],
  local_failed: ['said'],
  local_model_damaged: ['said'],
  local_model_unloadable: ['said'],
  local_model_failed: ['said'],
  caption_empty: ['address'],
  speech_empty: ['address'],
  picture_empty: ['address'],
  order_useless: ['address'],
  vectors_useless: ['address'],
  from_before: ['said'],
}

/** Shown to users instead of a stored text that's no longer in the catalogue. */
const FROM_BEFORE = { code: 'from_before', params: { said: '' } } as const
const fromBefore = () => translate(FROM_BEFORE.code, { audience: 'user', ...FROM_BEFORE.params })
/** Translates a stored sentence. An earlier version may have stored it with other parameters: the fallback replaces it then. */
const translateStored = translatorOf({ onError: () => {}, getMessageFallback: fromBefore })

/** A sentence worded for users who aren't administrators. One without codes, from another program or empty, stays as it is. */
export function forUsers(sentence: Sentence): Sentence {
  const { told } = sentence
  if (!told.every(({ code }) => Object.hasOwn(english, code))) return { text: fromBefore(), told: [FROM_BEFORE] }
  if (!told.some(({ code }) => english[code as SentenceCode].includes('{audience,'))) return sentence
  return {
    text: told
      .map(({ code, params }) => translateStored(code as SentenceCode, { audience: 'user', kind: '', ...params }))
      .join(' '),
    told: told.map(withoutAdminParams),
  }
}

/** Empties the parameters meant for administrators; clients have a wording without them. */
function withoutAdminParams({ code, params }: CodedSentence): CodedSentence {
  const hidden = adminParams[code as SentenceCode] ?? []
  return { code, params: { ...params, ...Object.fromEntries(hidden.map((name) => [name, ''])) } }
}

/** A sentence as the fields of a capability's check. */
export function asReason({ text, told }: Sentence): { reason: string; told: CodedSentence[] } {
  return { reason: text, told }
}

/** Joins sentences; with codes only when each of them has some. */
export function sayAll(...sentences: Sentence[]): Sentence {
  const haveCodes = sentences.every(({ told }) => told.length > 0)
  return {
    text: sentences.map(({ text }) => text).join(' '),
    told: haveCodes ? sentences.flatMap(({ told }) => told) : [],
  }
}
