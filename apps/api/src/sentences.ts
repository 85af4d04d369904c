import type { CodedSentence, SentenceCode, SentenceParams } from '@mira/shared'
import english from '@mira/shared/messages/en/problems.json' with { type: 'json' }
import { createTranslator } from 'use-intl/core'

/** English text for a user and the same sentences as codes; no codes for a text of another program. */
export interface Sentence {
  text: string
  told: CodedSentence[]
}

const translate = createTranslator({
  locale: 'en',
  messages: { problems: english as Record<SentenceCode, string> },
  namespace: 'problems',
  timeZone: 'UTC',
  onError: (error) => {
    throw error
  },
}) as unknown as (code: SentenceCode, params: Record<string, string | number>) => string

/** A sentence of the catalogue, in English as administrators read it, and as its code. */
export function say<Code extends SentenceCode>(code: Code, params: SentenceParams[Code]): Sentence {
  return { text: translate(code, { audience: 'admin', ...params }), told: [{ code, params }] }
}

/** Codes with one of these parameters; those without any take every name and are left out. */
type WithParam<Name extends string> = {
  [Code in SentenceCode]: string extends keyof SentenceParams[Code]
    ? never
    : Extract<keyof SentenceParams[Code], Name> extends never
      ? never
      : Code
}[SentenceCode]
type WithServer = WithParam<'address' | 'variable'>

/** Parameters that only administrators see, by code: addresses of model servers, names of variables, and words of servers. */
export const adminParams: Readonly<
  Record<WithServer, readonly string[]> & Partial<Record<SentenceCode, readonly string[]>>
> = {
  not_connected: ['variable'],
  server_waiting: ['address'],
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
  caption_empty: ['address'],
  speech_empty: ['address'],
  picture_empty: ['address'],
  order_useless: ['address'],
  vectors_useless: ['address'],
}

/** A sentence as users read it who are no administrators. */
export function forUsers(sentence: Sentence): Sentence {
  if (!sentence.told.some(({ code }) => english[code as SentenceCode]?.includes('{audience,'))) return sentence
  return {
    text: sentence.told
      .map((one) => translate(one.code as SentenceCode, { audience: 'user', ...one.params }))
      .join(' '),
    told: sentence.told.map(withoutAdminParams),
  }
}

/** Its parameters for administrators are left empty: clients have words for them. */
function withoutAdminParams({ code, params }: CodedSentence): CodedSentence {
  const hidden = adminParams[code as SentenceCode] ?? []
  return { code, params: { ...params, ...Object.fromEntries(hidden.map((name) => [name, ''])) } }
}

/** A sentence as the fields of a check. */
export function asReason({ text, told }: Sentence): { reason: string; told: CodedSentence[] } {
  return { reason: text, told }
}

/** Sentences one after the other; as codes only when each of them has one. */
export function sayAll(...sentences: Sentence[]): Sentence {
  const isTold = sentences.every(({ told }) => told.length > 0)
  return {
    text: sentences.map(({ text }) => text).join(' '),
    told: isTold ? sentences.flatMap(({ told }) => told) : [],
  }
}
