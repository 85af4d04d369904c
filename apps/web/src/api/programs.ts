import type {
  AuthorizationQuery,
  ConsentJson,
  ConsentQuestionJson,
  ConsentResponse,
  ProgramsResponseJson,
} from '@mira/shared'
import { call } from './client.ts'

const PAGE_SIZE = 50

/** The program and its requested permissions; `query` comes from the program's redirect. */
export function fetchConsentQuestion(query: AuthorizationQuery, signal?: AbortSignal): Promise<ConsentQuestionJson> {
  return call('GET /oauth/consent', { query, signal })
}

/** Agrees or refuses; tells where the browser goes then. */
export function answerConsent(consent: ConsentJson): Promise<ConsentResponse> {
  return call('POST /oauth/consent', { json: consent })
}

/** A page of the programs that have access, newest first. */
export function fetchPrograms(cursor: string | null, signal?: AbortSignal): Promise<ProgramsResponseJson> {
  return call('GET /me/programs', { signal, query: { limit: PAGE_SIZE, cursor } })
}

/** Ends the access of a program at once. */
export async function endProgram(id: string): Promise<void> {
  await call('DELETE /me/programs/:id', { params: { id } })
}
