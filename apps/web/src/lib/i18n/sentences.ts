import type { CodedSentence, SentenceCode } from '@mira/shared'
import type english from '@mira/shared/messages/en/problems.json'
import { useSession } from '../session/session.ts'
import { type Text, useTranslatedText } from './i18n.ts'

/** Translates a text of the server, given in English and as codes with parameters. */
export type SentenceText = (text: string, sentences: CodedSentence[] | undefined) => string

/** Translates the server's sentences. Returns its English text when `text` is null (English), or a code is missing or unknown. */
export function sentenceText(
  text: Text<'problems'> | null,
  english: string,
  sentences: CodedSentence[] = [],
  audience: 'admin' | 'user' = 'user',
): string {
  if (text === null || sentences.length === 0) return english
  if (!sentences.every(({ code }) => text.has(code as Code))) return english
  // Older stored sentences lack the parameter `kind`, which the texts need.
  const translate = ({ code, params }: CodedSentence) => text(code as Code, { kind: '', audience, ...params } as never)
  return sentences.map((sentence) => translate(sentence).trim()).join(' ')
}

/** Translates texts of the server into the displayed language. */
export function useSentenceText(): SentenceText {
  const text = useTranslatedText('problems')
  const state = useSession()
  const isAdmin = state.status === 'signed-in' && state.user.role === 'admin'
  return (english, sentences) => sentenceText(text, english, sentences, isAdmin ? 'admin' : 'user')
}

// compiles only if the server's codes and the translated ones are the same
type Code = keyof typeof english & SentenceCode
type Same = [keyof typeof english] extends [SentenceCode]
  ? [SentenceCode] extends [keyof typeof english]
    ? true
    : never
  : never
true satisfies Same
