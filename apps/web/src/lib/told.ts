import type { Told, ToldCode } from '@mira/shared'
import type english from '../messages/en/told.json'
import { type Text, useLanguage, useText } from './i18n.ts'
import type { Language } from './settings.ts'

/** Says what the server told, from its English text and the same in machine words. */
export type ToldText = (text: string, told: Told[] | undefined) => string

/** In English the server's own text is shown; in other languages too where it has words that are not known here. */
export function toldText(text: Text<'told'>, language: Language, english: string, told: Told[] = []): string {
  if (language === 'en' || told.length === 0) return english
  const isKnown = told.every(({ code }) => text.has(code as Code))
  return isKnown ? told.map(({ code, params }) => text(code as Code, params as never).trim()).join(' ') : english
}

/** Says what the server told in the language that is shown. */
export function useToldText(): ToldText {
  const text = useText('told')
  const language = useLanguage()
  return (english, told) => toldText(text, language, english, told)
}

// what the server may tell and what is worded here is the same, or this does not compile
type Code = keyof typeof english & ToldCode
type Same = [keyof typeof english] extends [ToldCode]
  ? [ToldCode] extends [keyof typeof english]
    ? true
    : never
  : never
true satisfies Same
