import type { CodedSentence, SentenceCode, SentenceParams } from '@mira/shared'
import english from '@mira/shared/messages/en/problems.json' with { type: 'json' }
import { createTranslator } from 'use-intl/core'

/** English text for a user and the same sentences as codes; without codes when the text comes from another program. */
export interface Sentence {
  text: string
  sentences: CodedSentence[]
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
  return { text: translate(code, { audience: 'admin', ...params }), sentences: [{ code, params }] }
}

/** A sentence as stored JSON; its key `told` is a format. */
export const writeSentence = ({ text, sentences }: Sentence): string => JSON.stringify({ text, told: sentences })

/** Inverse of `writeSentence`; null for JSON's `null`. */
export function readSentence(json: string): Sentence | null {
  const stored = JSON.parse(json) as { text: string; told: CodedSentence[] } | null
  return stored && { text: stored.text, sentences: stored.told }
}

/** Codes that have one of these parameters. A code whose parameters are an index signature has none, so it's left out. */
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
const LEGACY_SENTENCE = { code: 'from_before', params: { said: '' } } as const
const legacyText = () => translate(LEGACY_SENTENCE.code, { audience: 'user', ...LEGACY_SENTENCE.params })
/** Translates a stored sentence. If an earlier version stored it with other parameters, the fallback replaces it. */
const translateStored = translatorOf({ onError: () => {}, getMessageFallback: legacyText })

/**
 * Words a sentence for users who aren't administrators. A sentence without codes, because it's empty or comes from another
 * program, stays as it is.
 */
export function forUsers(sentence: Sentence): Sentence {
  const { sentences } = sentence
  if (!sentences.every(({ code }) => Object.hasOwn(english, code)))
    return { text: legacyText(), sentences: [LEGACY_SENTENCE] }
  if (!sentences.some(({ code }) => english[code as SentenceCode].includes('{audience,'))) return sentence
  return {
    text: sentences
      .map(({ code, params }) => translateStored(code as SentenceCode, { audience: 'user', kind: '', ...params }))
      .join(' '),
    sentences: sentences.map(withoutAdminParams),
  }
}

/** Empties the parameters meant for administrators; clients have a wording without them. */
function withoutAdminParams({ code, params }: CodedSentence): CodedSentence {
  const hidden = adminParams[code as SentenceCode] ?? []
  return { code, params: { ...params, ...Object.fromEntries(hidden.map((name) => [name, ''])) } }
}

/** A sentence as the fields of a capability's check. */
export function asReason({ text, sentences }: Sentence): { reason: string; told: CodedSentence[] } {
  return { reason: text, told: sentences }
}

/** Joins sentences; the result has codes only when every sentence has some. */
export function sayAll(...all: Sentence[]): Sentence {
  const allHaveCodes = all.every(({ sentences }) => sentences.length > 0)
  return {
    text: all.map(({ text }) => text).join(' '),
    sentences: allHaveCodes ? all.flatMap(({ sentences }) => sentences) : [],
  }
}
