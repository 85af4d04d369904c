import type { AgentCall, ChatEvent, CodedSentence, Source } from '@mira/shared'
import { forCallerIn } from '../../../platform/messages/audience.ts'

/** A call as it is stored: the `summary` of one that failed also as codes, until it is shown. */
export interface RecordedCall extends AgentCall {
  summary_told?: CodedSentence[]
}

/** A call as it is shown, once it is worded. */
export function withoutCodes<Call extends AgentCall>(call: Call & Pick<RecordedCall, 'summary_told'>): Call {
  if (call.summary_told === undefined) return call
  const { summary_told: _codes, ...shown } = call
  return shown as Call
}

export type Links = ReturnType<typeof createLinks>

/** Signature that grants access to a path for a limited time. */
const SIGNATURE = /[?&]signature=[^&]*$/

/**
 * Links of cited sources: stored as bare paths, signed for the user when shown.
 * @param signPath signs an API path so that a browser can load it without a token.
 */
export function createLinks(signPath: (userId: string, path: string) => string) {
  const signSources = (userId: string, sources: Source[]): Source[] =>
    sources.map((source) => {
      const path = bareThumbnail(source).thumbnail
      return path === null ? source : { ...source, thumbnail: signPath(userId, path) }
    })

  return {
    signPath,
    signSources,
    /** An event of an answer with signed links, worded for the current caller. */
    presentEvent(userId: string, event: ChatEvent): ChatEvent {
      if (event.type === 'sources') return { ...event, sources: signSources(userId, event.sources) }
      if (event.type === 'agent') return withoutCodes(forCallerIn(event))
      return event.type === 'error' ? forCallerIn(event) : event
    },
  }
}

/** A source with its thumbnail's signature removed. */
export function bareThumbnail<Place extends Pick<Source, 'thumbnail'>>(place: Place): Place {
  return place.thumbnail === null ? place : { ...place, thumbnail: place.thumbnail.replace(SIGNATURE, '') }
}
