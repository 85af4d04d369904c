import { tokenStore } from '../lib/session/token.ts'

declare global {
  interface Window {
    /**
     * Responses requested by before-first-paint.js while the app was loading, by URL, with the token used. Each can be
     * taken once.
     */
    earlyAnswers?: { token: string; answers: Record<string, Promise<Response>> } | undefined
  }
}

/**
 * Body of an early response; null when there's none or it failed, so that the caller's own request reports the error.
 */
export async function takeEarlyAnswer<Answer>(address: string): Promise<Answer | null> {
  const { token, answers = {} } = window.earlyAnswers ?? {}
  const answer = answers[address]
  delete answers[address]
  if (answer === undefined || token !== tokenStore.get()) return null
  return answer.then((response) => (response.ok ? response.json() : null)).catch(() => null)
}
