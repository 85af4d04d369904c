import type { Page } from '@playwright/test'

/** Message field of the chat screen. */
export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
export const answers = (page: Page) => page.getByRole('article', { name: 'Answer from Mira' })
export const questions = (page: Page) => page.getByRole('article', { name: 'Your message' })
export const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop' })
/** Links of the conversation list; the first one starts a new conversation. */
export const sessionLinks = (page: Page) => page.getByRole('navigation', { name: 'Conversations' }).getByRole('link')

/** Types a message and sends it with Enter. */
export async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

/** Numbered words: "word1 word2 …". */
export function numberedWords(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index + 1}`).join(' ')
}

/** Id of the displayed conversation; null for a new one. */
export function sessionIdOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get('session')
}
