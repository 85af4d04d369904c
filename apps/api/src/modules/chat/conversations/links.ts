import type { AgentCall, ChatEvent, CodedSentence, Source } from '@mira/shared'
import { forCallerIn } from '../../../platform/messages/audience.ts'

/** A stored call; a failed call also has its `summary` as codes, for translation. */
export interface RecordedCall extends AgentCall {
  summary_told?: CodedSentence[]
}

/** Removes the codes from a call, once its summary is translated. */
export function withoutCodes<Call extends AgentCall>(call: Call & Pick<RecordedCall, 'summary_told'>): Call {
  if (call.summary_told === undefined) return call
  const { summary_told: _codes, ...shown } = call
  return shown as Call
}

export type Links = ReturnType<typeof createLinks>

const SIGNATURE = /[?&]signature=[^&]*$/

/**
 * Links of cited sources: stored as bare paths, signed for the user when shown.
 * @param signPath signs an API path so that a browser can load it without a token
 */
export function createLinks(signPath: (userId: string, path: string) => string) {
  const signSources = (userId: string, sources: Source[]): Source[] =>
    sources.map((source) => {
      const path = unsignedThumbnail(source).thumbnail
      return path === null ? source : { ...source, thumbnail: signPath(userId, path) }
    })

  return {
    signPath,
    signSources,
    /** An event of an answer with signed links and texts for the current caller. */
    presentEvent(userId: string, event: ChatEvent): ChatEvent {
      if (event.type === 'sources') return { ...event, sources: signSources(userId, event.sources) }
      if (event.type === 'agent') return withoutCodes(forCallerIn(event))
      return event.type === 'error' ? forCallerIn(event) : event
    },
  }
}

/** A source with its thumbnail's signature removed. */
export function unsignedThumbnail<Cited extends Pick<Source, 'thumbnail'>>(source: Cited): Cited {
  return source.thumbnail === null ? source : { ...source, thumbnail: source.thumbnail.replace(SIGNATURE, '') }
}
