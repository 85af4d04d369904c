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

/** A sentence of the catalogue, in English and as its code. */
export function say<Code extends SentenceCode>(code: Code, params: SentenceParams[Code]): Sentence {
  return { text: translate(code, params), told: [{ code, params }] }
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
