import type { Language } from '@mira/shared/constants/languages'
import type { PageKind } from '@mira/shared/constants/media'
import { use } from 'react'
import { createTranslator } from 'use-intl/core'
import englishApp from '../../messages/en/app.json'
import { createStore, useStore } from '../loading/store.ts'
import { settingsStore } from '../session/settings.ts'
import type { Messages, TextWord } from './messages.ts'

/** Values for texts about a page, sheet, slide, chapter or mail. */
// a type, not an interface: texts are filled in with any record
type PageWords = {
  kind: PageKind
  number: number
  page: number
  /** Title, or the number when there's none. */
  name: string
}

export function pageWords(page: number, kind: PageKind = 'page', title?: string | null): PageWords {
  return { kind, number: page, page, name: title ?? String(page) }
}

/**
 * The locale in which a language's dates, times and figures are written: its region is that of the browser, where the browser asks for
 * the language at all ("en-GB" of English).
 */
export function localeOf(language: Language, preferred: readonly string[] = navigator.languages): string {
  const locale = preferred.find((tag) => tag.split('-')[0] === language) ?? language
  try {
    // some browsers name what no standard knows: "en-US@posix"
    return Intl.getCanonicalLocales(locale)[0] ?? language
  } catch {
    return language
  }
}

/**
 * Finds a text and fills it in: `text('count', { count: 3 })`; `text.rich` also fills in elements.
 * Keys are those of `messages/en/<word>.json`, joined by dots.
 */
export type Text<Word extends TextWord> = ReturnType<typeof createTranslator<Messages, Word>>

// The texts of the shell are there from the start in English; all others come as they are needed.
const files = import.meta.glob<object>(['../../messages/*/*.json', '!../../messages/en/app.json'], {
  import: 'default',
})
/** The server's sentences; in English they come from the server. */
const problemFiles = import.meta.glob<object>(
  [
    '../../../../../packages/shared/src/messages/*/problems.json',
    '!../../../../../packages/shared/src/messages/en/problems.json',
  ],
  { import: 'default' },
)

type LoadedText = Promise<Text<TextWord>>

/** Texts loaded, being loaded, or recently failed, by `<language>/<word>`. */
const texts = new Map<string, LoadedText>()

/** Wait before a failed file is requested again. */
const RETRY_AFTER_MS = 1_000

const languageStore = createStore<Language>('en')

/** Words that were left out because English was shown. */
const besideEnglish = new Set<TextWord>()

const englishTexts = translate('en', 'app', englishApp)
texts.set('en/app', fulfil(Promise.resolve(englishTexts), englishTexts))

function translate(language: Language, word: TextWord, messages: object): Text<TextWord> {
  return createTranslator({
    locale: localeOf(language),
    messages: { [word]: messages } as unknown as Messages,
    namespace: word,
    timeZone: 'UTC',
    onError: (error) => console.error(error),
  }) as Text<TextWord>
}

/** Lets no component wait for what is there: React's `use` reads how a promise ended from the promise. */
function fulfil(promise: LoadedText, value: Text<TextWord>): LoadedText {
  return Object.assign(promise, { status: 'fulfilled', value })
}

/** The texts of one word, for what can do without them until they are there. */
export function textsOf<Word extends TextWord>(language: Language, word: Word): Promise<Text<Word>>
export function textsOf(language: Language, word: TextWord): LoadedText {
  const name = `${language}/${word}`
  const loaded = texts.get(name)
  if (loaded !== undefined) return loaded
  const file =
    word === 'problems'
      ? problemFiles[`../../../../../packages/shared/src/messages/${name}.json`]
      : files[`../../messages/${name}.json`]
  if (!file) return Promise.reject(new Error(`There are no texts ${name}`))
  const promise: LoadedText = file().then((messages) => translate(language, word, messages))
  texts.set(name, promise)
  promise.then(
    (text) => fulfil(promise, text),
    // A screen that waits for it must find the failure, or it would ask again without end.
    () => setTimeout(() => texts.delete(name), RETRY_AFTER_MS),
  )
  return promise
}

async function showLanguage(language: Language): Promise<void> {
  // Everything on the screen changes at once, so its texts must be there first.
  const words = new Set([...texts.keys()].map((name) => name.split('/')[1] as TextWord))
  if (language !== 'en') for (const word of besideEnglish) words.add(word)
  await Promise.all([...words].map((word) => textsOf(language, word)))
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
  await Promise.all(words.map((word) => textsOf(languageStore.get(), word)))
}

/** Loads a part of the app together with the texts that it needs. */
export async function withTexts<Part>(part: Promise<Part>, ...words: TextWord[]): Promise<Part> {
  const [loaded] = await Promise.all([part, loadTexts(...words)])
  return loaded
}

/** The language that is shown: that of the settings, once its texts are there. */
export function useLanguage(): Language {
  return useStore(languageStore)
}

/** The locale in which the dates and figures of the language that is shown are written. */
export function useLocale(): string {
  return localeOf(useLanguage())
}

/** The texts of one word in the language that is shown; the component waits (Suspense) until they are there. */
export function useText<Word extends TextWord>(word: Word): Text<Word> {
  // always through `use`: React must not find a hook the less when it takes up again what has waited
  return use(textsOf(useLanguage(), word)) as unknown as Text<Word>
}

/** The texts of one word that other languages alone need, because English has them elsewhere: null in English. Waits as `useText`. */
export function useTextBesideEnglish<Word extends TextWord>(word: Word): Text<Word> | null {
  const language = useLanguage()
  if (language === 'en') {
    besideEnglish.add(word)
    return null
  }
  return use(textsOf(language, word)) as unknown as Text<Word>
}
