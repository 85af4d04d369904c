import { readFileSync } from 'node:fs'
import type { Language } from '@mira/shared'
import { withNoBreakSpaces } from '@mira/shared/no-break-spaces'
import { createTranslator } from 'use-intl/core'
import type agents from './en/agents.json'
import type builtin from './en/builtin.json'
import type calculator from './en/calculator.json'
import type files from './en/files.json'
import type imports from './en/imports.json'
import type news from './en/news.json'
import type push from './en/push.json'
import type reminders from './en/reminders.json'
import type summaries from './en/summaries.json'
import type weather from './en/weather.json'

/**
 * Server messages by namespace: one file `<language>/<word>.json` for each, as in the web app.
 * A feature with its own file adds its line here; the compiler then checks its keys.
 */
export interface Messages {
  agents: typeof agents
  builtin: typeof builtin
  calculator: typeof calculator
  files: typeof files
  imports: typeof imports
  news: typeof news
  push: typeof push
  reminders: typeof reminders
  summaries: typeof summaries
  weather: typeof weather
}

type TextWord = keyof Messages

/** Formats a message: `text('found', { count: 3 })`. Keys are those of `en/<word>.json`, joined by dots. */
export type Text<Word extends TextWord> = ReturnType<typeof createTranslator<Messages, Word>>

const texts = new Map<string, Text<TextWord>>()

/** The messages of a namespace in a language. */
export function textsIn<Word extends TextWord>(word: Word, language: Language): Text<Word> {
  const name = `${language}/${word}`
  const text = texts.get(name) ?? read(word, language)
  texts.set(name, text)
  return text as unknown as Text<Word>
}

function read(word: TextWord, language: Language): Text<TextWord> {
  const json = readFileSync(new URL(`./${language}/${word}.json`, import.meta.url), 'utf8')
  const messages = JSON.parse(json, (_, value) =>
    typeof value === 'string' ? withNoBreakSpaces(value) : value,
  ) as object
  return createTranslator({
    locale: language,
    messages: { [word]: messages } as unknown as Messages,
    namespace: word,
    timeZone: 'UTC',
    onError: (error) => {
      throw error
    },
  }) as Text<TextWord>
}

/** The colon after a label, with the space that French has before it. */
export function colonIn(language: string): string {
  return language === 'fr' ? '\u00a0:' : ':'
}

/** Locale for dates and numbers; in English the day comes before the month. */
export function localeOf(language: Language): string {
  return language === 'en' ? 'en-GB' : language
}
