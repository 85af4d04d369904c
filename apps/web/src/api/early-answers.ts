import { tokenStore } from '../lib/token.ts'

declare global {
  interface Window {
    /** What before-first-paint.js asked for while the app was still loading, by address, and with which token; each is good for one time. */
    earlyAnswers?: { token: string; answers: Record<string, Promise<Response>> } | undefined
  }
}

/** What was asked for early at an address; null when nothing was, or it went wrong: asked again, that is told. */
export async function takeEarlyAnswer<Answer>(address: string): Promise<Answer | null> {
  const { token, answers = {} } = window.earlyAnswers ?? {}
  const answer = answers[address]
  delete answers[address]
  if (answer === undefined || token !== tokenStore.get()) return null
  return answer.then((response) => (response.ok ? response.json() : null)).catch(() => null)
}
