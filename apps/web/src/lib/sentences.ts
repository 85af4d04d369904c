import type { CodedSentence, SentenceCode } from '@mira/shared'
import type english from '../messages/en/told.json'
import { type Text, useText, useTextBesideEnglish } from './i18n.ts'
import { useSession } from './session.ts'

/** Says what the server told, from its English text and the same in machine words. */
export type SentenceText = (text: string, told: CodedSentence[] | undefined) => string

/** In English (no `text`) the server's own text is shown; in other languages too where it has words that are not known here. */
export function sentenceText(text: Text<'told'> | null, english: string, told: CodedSentence[] = []): string {
  if (text === null || told.length === 0) return english
  const isKnown = told.every(({ code }) => text.has(code as Code))
  return isKnown ? told.map(({ code, params }) => text(code as Code, params as never).trim()).join(' ') : english
}

/** Says what the server told in the language that is shown. */
export function useSentenceText(): SentenceText {
  const text = useTextBesideEnglish('told')
  const appText = useText('app')
  const state = useSession()
  const isAdmin = state.status === 'signed-in' && state.user.role === 'admin'
  return (english, told) => {
    const said = sentenceText(text, english, told)
    if (isAdmin) return said
    const plain = withoutSetup(said, appText('common.setAddress'))
    if (plain === said) return said
    return plain === '' ? appText('common.askAdmin') : `${plain} ${appText('common.askAnAdmin')}`
  }
}

const VARIABLE = /\b[A-Z]{2,}(_[A-Z]+)+\b/

/** Whether a sentence is about something that an administrator sets. */
export function namesSetup(text: string): boolean {
  return VARIABLE.test(text)
}

/**
 * Leaves out what only an administrator can use: sentences that name a variable of the server's environment. What is
 * missing is still said: an address gives way to words for it, a variable in brackets goes alone. Empty when nothing else was
 * said.
 */
export function withoutSetup(text: string, anAddress: string): string {
  return text
    .replace(/https?:\/\/[^\s,;)]*[^\s,;).:]/g, anAddress)
    .replace(/\s*\([A-Z]{2,}(_[A-Z]+)+\)/g, '')
    .split(/(?<=[.!?])\s+(?=\p{Lu})/u)
    .filter((sentence) => !VARIABLE.test(sentence))
    .join(' ')
}

// what the server may tell and what is worded here is the same, or this does not compile
type Code = keyof typeof english & SentenceCode
type Same = [keyof typeof english] extends [SentenceCode]
  ? [SentenceCode] extends [keyof typeof english]
    ? true
    : never
  : never
true satisfies Same
