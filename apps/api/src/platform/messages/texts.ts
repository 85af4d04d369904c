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
 * Server messages by namespace: one file `<language>/<namespace>.json` for each, as in the web app.
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

type NamespaceName = keyof Messages

/** Formats a message: `text('found', { count: 3 })`. Keys are those of `en/<namespace>.json`, joined by dots. */
export type Text<Namespace extends NamespaceName> = ReturnType<typeof createTranslator<Messages, Namespace>>

const texts = new Map<string, Text<NamespaceName>>()

/** The messages of a namespace in a language. */
export function textsIn<Namespace extends NamespaceName>(namespace: Namespace, language: Language): Text<Namespace> {
  const name = `${language}/${namespace}`
  const text = texts.get(name) ?? read(namespace, language)
  texts.set(name, text)
  return text as unknown as Text<Namespace>
}

function read(namespace: NamespaceName, language: Language): Text<NamespaceName> {
  const json = readFileSync(new URL(`./${language}/${namespace}.json`, import.meta.url), 'utf8')
  const messages = JSON.parse(json, (_, value) =>
    typeof value === 'string' ? withNoBreakSpaces(value) : value,
  ) as object
  return createTranslator({
    locale: language,
    messages: { [namespace]: messages } as unknown as Messages,
    namespace,
    timeZone: 'UTC',
    onError: (error) => {
      throw error
    },
  }) as Text<NamespaceName>
}

/** The colon after a label, with the space that French has before it. */
export function colonIn(language: string): string {
  return language === 'fr' ? '\u00a0:' : ':'
}

/** Locale for dates and numbers; in English the day comes before the month. */
export function localeOf(language: Language): string {
  return language === 'en' ? 'en-GB' : language
}
