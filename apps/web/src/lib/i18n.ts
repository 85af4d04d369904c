import { use } from 'react'
import { createTranslator } from 'use-intl/core'
import englishApp from '../messages/en/app.json'
import type { Messages, TextWord } from './messages.ts'
import { type Language, settingsStore } from './settings.ts'
import { createStore, useStore } from './store.ts'

/**
 * Finds a text and fills it in: `text('count', { count: 3 })`; `text.rich` also fills in elements.
 * Keys are those of `messages/en/<word>.json`, joined by dots.
 */
export type Text<Word extends TextWord> = ReturnType<typeof createTranslator<Messages, Word>>

// The texts of the shell are there from the start in English; all others come as they are needed.
const files = import.meta.glob<object>(['../messages/*/*.json', '!../messages/en/app.json'], { import: 'default' })

/** What was loaded or is on its way, by `<language>/<word>`. */
const loaded = new Map<string, Text<TextWord>>()
const underWay = new Map<string, Promise<void>>()

/** How long a failed file is not asked for again. */
const RETRY_AFTER_MS = 1_000

const languageStore = createStore<Language>('en')

keep('en', 'app', englishApp)

function keep(language: Language, word: TextWord, messages: object): void {
  const translator = createTranslator({
    locale: language,
    messages: { [word]: messages } as unknown as Messages,
    namespace: word,
    timeZone: 'UTC',
    onError: (error) => console.error(error),
  })
  loaded.set(`${language}/${word}`, translator as Text<TextWord>)
}

function load(language: Language, word: TextWord): Promise<void> {
  const name = `${language}/${word}`
  if (loaded.has(name)) return Promise.resolve()
  const known = underWay.get(name)
  if (known !== undefined) return known
  const file = files[`../messages/${name}.json`]
  if (!file) return Promise.reject(new Error(`There are no texts ${name}`))
  const promise = file().then((messages) => keep(language, word, messages))
  underWay.set(name, promise)
  promise.then(
    () => underWay.delete(name),
    // A screen that waits for it must find the failure, or it would ask again without end.
    () => setTimeout(() => underWay.delete(name), RETRY_AFTER_MS),
  )
  return promise
}

async function showLanguage(language: Language): Promise<void> {
  // Everything on the screen changes at once, so its texts must be there first.
  const words = new Set([...loaded.keys()].map((name) => name.split('/')[1] as TextWord))
  await Promise.all([...words].map((word) => load(language, word)))
  if (settingsStore.get().language !== language) return
  document.documentElement.lang = language
  languageStore.set(language)
}

/** Speaks the language of the settings from now on; called once at start, resolves when the shell can be drawn. */
export async function followLanguage(): Promise<void> {
  const show = (language: Language) =>
    showLanguage(language).catch((error) => console.error(`The texts in "${language}" could not be loaded`, error))
  settingsStore.subscribe(({ language }) => void show(language))
  await show(settingsStore.get().language)
}

/** Loads texts ahead of the screen that needs them. */
export async function loadTexts(...words: TextWord[]): Promise<void> {
  await Promise.all(words.map((word) => load(languageStore.get(), word)))
}

/** The language that is shown: that of the settings, once its texts are there. */
export function useLanguage(): Language {
  return useStore(languageStore)
}

/** The texts of one word in the language that is shown; the component waits (Suspense) until they are there. */
export function useText<Word extends TextWord>(word: Word): Text<Word> {
  const language = useLanguage()
  const name = `${language}/${word}`
  if (!loaded.has(name)) use(load(language, word))
  return loaded.get(name) as unknown as Text<Word>
}
