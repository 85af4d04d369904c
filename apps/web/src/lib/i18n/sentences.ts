import type { CodedSentence, SentenceCode } from '@mira/shared'
import type english from '@mira/shared/messages/en/problems.json'
import { useSession } from '../session/session.ts'
import { type Text, useTextBesideEnglish } from './i18n.ts'

/** Translates a text of the server, from its English text and the same as codes with parameters. */
export type SentenceText = (text: string, sentences: CodedSentence[] | undefined) => string

/** In English (no `text`) the server's own text is shown; in other languages too where it has words that are not known here. */
export function sentenceText(
  text: Text<'problems'> | null,
  english: string,
  sentences: CodedSentence[] = [],
  audience: 'admin' | 'user' = 'user',
): string {
  if (text === null || sentences.length === 0) return english
  if (!sentences.every(({ code }) => text.has(code as Code))) return english
  // rows stored before pictures of one message had names have no `kind`
  const worded = ({ code, params }: CodedSentence) => text(code as Code, { kind: '', audience, ...params } as never)
  return sentences.map((one) => worded(one).trim()).join(' ')
}

/** Says what the server told in the language that is shown. */
export function useSentenceText(): SentenceText {
  const text = useTextBesideEnglish('problems')
  const state = useSession()
  const isAdmin = state.status === 'signed-in' && state.user.role === 'admin'
  return (english, sentences) => sentenceText(text, english, sentences, isAdmin ? 'admin' : 'user')
}

// what the server may tell and what is worded here is the same, or this does not compile
type Code = keyof typeof english & SentenceCode
type Same = [keyof typeof english] extends [SentenceCode]
  ? [SentenceCode] extends [keyof typeof english]
    ? true
    : never
  : never
true satisfies Same
