import type { AgentCall, CodedSentence } from '@mira/shared'

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
