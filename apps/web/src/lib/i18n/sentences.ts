import type { CodedSentence, SentenceCode } from '@mira/shared'
import { withoutSetup } from '@mira/shared/constants/setup'
import type english from '@mira/shared/messages/en/problems.json'
import { useSession } from '../session/session.ts'
import { type Text, useText, useTextBesideEnglish } from './i18n.ts'

/** Says what the server told, from its English text and the same in machine words. */
export type SentenceText = (text: string, sentences: CodedSentence[] | undefined) => string

/** In English (no `text`) the server's own text is shown; in other languages too where it has words that are not known here. */
export function sentenceText(text: Text<'problems'> | null, english: string, sentences: CodedSentence[] = []): string {
  if (text === null || sentences.length === 0) return english
  const isKnown = sentences.every(({ code }) => text.has(code as Code))
  return isKnown ? sentences.map(({ code, params }) => worded(text, code as Code, params)).join(' ') : english
}

/** Rows stored before pictures of one message had names have no `kind`. */
function worded(text: Text<'problems'>, code: Code, params: CodedSentence['params']): string {
  return text(code, { kind: '', ...params } as never)
}

/** Says what the server told in the language that is shown. */
export function useSentenceText(): SentenceText {
  const text = useTextBesideEnglish('problems')
  const appText = useText('app')
  const state = useSession()
  const isAdmin = state.status === 'signed-in' && state.user.role === 'admin'
  return (english, sentences) => {
    if (isAdmin) return sentenceText(text, english, sentences)
    const translated = sentenceText(text, english, sentences?.map(withHidden))
    const plain = withoutSetup(translated, appText('common.setAddress'))
    if (plain === translated) return translated
    return plain === '' ? appText('common.askAdmin') : `${plain} ${appText('common.askAnAdmin')}`
  }
}

const HIDDEN_ADDRESS = 'http://hidden'
const HIDDEN_VARIABLE = 'OPENAI_BASE_URL'

/** The server leaves empty what only administrators may know; it is left out of the sentence as if it stood there. */
export function withHidden({ code, params }: CodedSentence): CodedSentence {
  const { address, variable } = params
  return {
    code,
    params: {
      ...params,
      ...(address === '' && { address: HIDDEN_ADDRESS }),
      ...(variable === '' && { variable: HIDDEN_VARIABLE }),
    },
  }
}

// what the server may tell and what is worded here is the same, or this does not compile
type Code = keyof typeof english & SentenceCode
type Same = [keyof typeof english] extends [SentenceCode]
  ? [SentenceCode] extends [keyof typeof english]
    ? true
    : never
  : never
true satisfies Same
