import type { AnswerEvent, AnswerRequest } from './answer-request.ts'
import { type AskDeps, createAsk } from './ask-engine.ts'
import { createDecidedCall } from './decided-call.ts'
import { createFit, type FitDeps } from './fit-context.ts'
import { createGather, type GatherDeps } from './gather-context.ts'

export type AnswerDeps = GatherDeps & FitDeps & AskDeps

export type MakeAnswer = ReturnType<typeof createMakeAnswer>

/**
 * Makes an answer: gathers what it may rest on, fits that into what the engine holds, and asks the engine. Whoever reads
 * the events records them; nothing here is stored.
 */
export function createMakeAnswer(deps: AnswerDeps) {
  const gather = createGather(deps)
  const fitting = createFit(deps)
  const ask = createAsk(deps, fitting)
  const makeDecidedCall = createDecidedCall(deps)

  return async function* makeAnswer(asked: AnswerRequest, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    // the call comes first: what is known when it has been made is part of what the answer rests on
    const soFar = asked.goesOn && (yield* makeDecidedCall(asked, asked.goesOn, signal))
    const gathered = { ...(await gather(asked, signal)), soFar }
    const { sentiment, holdsOutsideText } = gathered
    yield { type: 'gathered', sentiment, readsOutsideText: holdsOutsideText }

    const fitted = await fitting.fit(asked, gathered)
    if (fitted.unsummarised !== null) yield { type: 'unsummarised', unsummarised: fitted.unsummarised }

    yield* ask(asked, gathered, fitted, signal)
  }
}
