import type { Language } from '@mira/shared/constants/languages'
import type { PageKind } from '@mira/shared/constants/media'
import { use } from 'react'
import { createTranslator } from 'use-intl/core'
import englishApp from '../../messages/en/app.json'
import { createStore, useStore } from '../loading/store.ts'
import { settingsStore } from '../session/settings.ts'
import type { Messages, TextNamespace } from './messages.ts'

/** Values for texts about a page, sheet, slide, chapter or mail. */
// a type, not an interface, which couldn't be passed as a record of values
type PageWords = {
  kind: PageKind
  number: number
  page: number
  /** Title, or the number when there's none. */
  name: string
}

export function pageTextValues(page: number, kind: PageKind = 'page', title?: string | null): PageWords {
  return { kind, number: page, page, name: title ?? String(page) }
}

/**
 * Locale for the dates, times and numbers of a language, with the browser's region if the browser prefers that language
 * ("en-GB" for English).
 */
export function localeOf(language: Language, preferred: readonly string[] = navigator.languages): string {
  const locale = preferred.find((tag) => tag.split('-')[0] === language) ?? language
  try {
    // some browsers have non-standard tags: "en-US@posix"
    return Intl.getCanonicalLocales(locale)[0] ?? language
  } catch {
    return language
  }
}

/**
 * Finds a text and fills it in: `text('count', { count: 3 })`; `text.rich` also fills in elements.
 * Keys are those of `messages/en/<namespace>.json`, joined by dots.
 */
export type Text<Namespace extends TextNamespace> = ReturnType<typeof createTranslator<Messages, Namespace>>

// The frame's English texts are part of the code; all others are loaded when needed.
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

type LoadedText = Promise<Text<TextNamespace>>

/** Texts loaded, being loaded, or recently failed, by `<language>/<namespace>`. */
const texts = new Map<string, LoadedText>()

/** Wait before a failed file is requested again. */
const RETRY_AFTER_MS = 1_000

const languageStore = createStore<Language>('en')

/** Namespaces of `useTranslatedText` that weren't loaded because English was displayed. */
const translatedOnly = new Set<TextNamespace>()

const englishTexts = translate('en', 'app', englishApp)
texts.set('en/app', fulfil(Promise.resolve(englishTexts), englishTexts))

function translate(language: Language, namespace: TextNamespace, messages: object): Text<TextNamespace> {
  return createTranslator({
    locale: localeOf(language),
    messages: { [namespace]: messages } as unknown as Messages,
    namespace,
    timeZone: 'UTC',
    onError: (error) => console.error(error),
  }) as Text<TextNamespace>
}

/** Marks a promise as fulfilled for React's `use`, so that no component suspends for loaded texts. */
function fulfil(promise: LoadedText, value: Text<TextNamespace>): LoadedText {
  return Object.assign(promise, { status: 'fulfilled', value })
}

/** Texts of a namespace, for code that doesn't suspend for them. */
export function loadNamespace<Namespace extends TextNamespace>(
  language: Language,
  namespace: Namespace,
): Promise<Text<Namespace>>
export function loadNamespace(language: Language, namespace: TextNamespace): LoadedText {
  const name = `${language}/${namespace}`
  const loaded = texts.get(name)
  if (loaded !== undefined) return loaded
  const file =
    namespace === 'problems'
      ? problemFiles[`../../../../../packages/shared/src/messages/${name}.json`]
      : files[`../../messages/${name}.json`]
  if (!file) return Promise.reject(new Error(`There are no texts ${name}`))
  const promise: LoadedText = file().then((messages) => translate(language, namespace, messages))
  texts.set(name, promise)
  promise.then(
    (text) => fulfil(promise, text),
    // A suspended screen must find the failure, or it would request the file endlessly.
    () => setTimeout(() => texts.delete(name), RETRY_AFTER_MS),
  )
  return promise
}

async function showLanguage(language: Language): Promise<void> {
  // Everything on the screen changes at once, so all its texts must be loaded first.
  const namespaces = new Set([...texts.keys()].map((name) => name.split('/')[1] as TextNamespace))
  if (language !== 'en') for (const namespace of translatedOnly) namespaces.add(namespace)
  await Promise.all([...namespaces].map((namespace) => loadNamespace(language, namespace)))
  if (settingsStore.get().language !== language) return
  document.documentElement.lang = language
  languageStore.set(language)
}

/** Follows the language of the settings; called once at start, resolves when the frame can be rendered. */
export async function watchLanguage(): Promise<void> {
  const show = (language: Language) =>
    showLanguage(language).catch((error) => console.error(`The texts in "${language}" could not be loaded`, error))
  settingsStore.subscribe(({ language }) => void show(language))
  await show(settingsStore.get().language)
}

/** Loads texts ahead of the screen that needs them. */
export async function loadTexts(...namespaces: TextNamespace[]): Promise<void> {
  await Promise.all(namespaces.map((namespace) => loadNamespace(languageStore.get(), namespace)))
}

/** Loads a part of the app together with the texts that it needs. */
export async function withTexts<Part>(part: Promise<Part>, ...namespaces: TextNamespace[]): Promise<Part> {
  const [loaded] = await Promise.all([part, loadTexts(...namespaces)])
  return loaded
}

/** The displayed language: that of the settings, once its texts have loaded. */
export function useLanguage(): Language {
  return useStore(languageStore)
}

/** Locale for dates and numbers in the displayed language. */
export function useLocale(): string {
  return localeOf(useLanguage())
}

/** Texts of a namespace in the displayed language; the component suspends until they've loaded. */
export function useText<Namespace extends TextNamespace>(namespace: Namespace): Text<Namespace> {
  // Calls `use` even for loaded texts: React must not find fewer hooks when it resumes a suspended component.
  return use(loadNamespace(useLanguage(), namespace)) as unknown as Text<Namespace>
}

/** Like `useText`, for a namespace that only other languages need; null in English. */
export function useTranslatedText<Namespace extends TextNamespace>(namespace: Namespace): Text<Namespace> | null {
  const language = useLanguage()
  if (language === 'en') {
    translatedOnly.add(namespace)
    return null
  }
  return use(loadNamespace(language, namespace)) as unknown as Text<Namespace>
}
