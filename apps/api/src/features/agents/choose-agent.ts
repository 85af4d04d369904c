import type { AgentCandidate } from '@mira/shared'
import type { AgentCaller, AgentKind } from './agent-kind.ts'
import type { IntentGuess } from './intent-classifier.ts'

/** Agent chosen for a sentence. */
export interface Choice {
  /** Null when none is surely meant. */
  agent: string | null
  /** Confidence in the first candidate, 0 to 1. */
  confidence: number
  /** The surest first. */
  candidates: AgentCandidate[]
}

export interface ChooseAgentDeps {
  kinds: AgentKind[]
  /** Intents by agent name, from the trained classifier. */
  guessIntent?: ((text: string) => IntentGuess[]) | undefined
}

/** Above this an agent is taken to be meant by a sentence. */
const INTENT_THRESHOLD = 0.8
/** Most that the classifier's guess counts for an agent that decides by reading the sentence itself (`readsItself`). */
const UNSHARED_CONFIDENCE = 0.75
/** Below this it is not worth being asked back for, unless none is above. */
const CANDIDATE_THRESHOLD = 0.2

/** Says which agent a sentence means, as the agents read it themselves and as was learnt. */
export function createChooseAgent({ kinds, guessIntent }: ChooseAgentDeps) {
  /** Every agent with how surely a sentence means it, the surest first. */
  const rank = (text: string, caller: AgentCaller) => {
    const learnt = new Map(guessIntent?.(text).map(({ label, probability }) => [label, probability]))
    const guessFor = ({ name, readsItself = false }: AgentKind) => {
      const probability = learnt.get(name) ?? 0
      return readsItself ? Math.min(probability, UNSHARED_CONFIDENCE) : probability
    }
    return kinds
      .map((kind) => ({ kind, confidence: Math.max(kind.confidence(text, caller), guessFor(kind)) }))
      .sort((a, b) => b.confidence - a.confidence)
  }

  return (input: string, caller: AgentCaller): Choice => {
    const ranked = rank(input, caller)
    const best = ranked[0]
    const confidence = best?.confidence ?? 0
    const likely = ranked.filter((one) => one.confidence >= CANDIDATE_THRESHOLD)
    const candidates = (likely.length > 0 ? likely : ranked).map((one) => ({
      name: one.kind.name,
      confidence: one.confidence,
      example: one.kind.intents[0] ?? '',
    }))
    return { agent: best && confidence >= INTENT_THRESHOLD ? best.kind.name : null, confidence, candidates }
  }
}
