import { type AgentEvent, type AgentResponse, agentEventSchema, encodeSse, SSE_DONE } from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sentenceOf } from '../../../errors.ts'
import { isAdminCall, isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortOnDisconnect, callerOf } from '../../../platform/http/caller-of.ts'
import { asAppError } from '../../../platform/http/error-handler.ts'
import { serve } from '../../../platform/http/serve.ts'
import { sendSse, sseEvent } from '../../../platform/http/sse.ts'
import { forCaller } from '../../../platform/messages/audience.ts'
import type { DirectCallOrigin } from './agent-calls.ts'
import type { AgentContext } from './agent-kind.ts'
import type { AgentsService } from './agents.service.ts'

/** Work that reports progress and resolves to its last event. */
type ReportingWork = (progress: (text: string) => void) => Promise<AgentEvent>

/** Maximum events buffered for a slow client; further progress is dropped. */
const MAX_BUFFERED_EVENTS = 50

/** Yields a first event, then the work's events as they arrive, its result last. @param work must not throw */
async function* eventsOf(first: AgentEvent, work: ReportingWork | null): AsyncGenerator<AgentEvent> {
  yield first
  if (work === null) return
  const buffer: AgentEvent[] = []
  let wake = () => {}
  let last: AgentEvent | null = null
  const emit = (event: AgentEvent) => {
    buffer.push(event)
    wake()
  }
  const working = work((text) => {
    if (last === null && buffer.length < MAX_BUFFERED_EVENTS) emit({ type: 'progress', text })
  }).then((event) => {
    last = event
    emit(event)
  })
  for (;;) {
    const next = buffer.shift()
    if (next !== undefined) yield next
    if (next !== undefined && next === last) return
    if (buffer.length > 0) continue
    const nextEvent = new Promise<void>((resolve) => {
      wake = resolve
    })
    await Promise.race([working, nextEvent])
  }
}

/** /agents: lists agents and their health, and calls them. */
export async function agentsRoutes(app: FastifyInstance, { agents }: { agents: AgentsService }): Promise<void> {
  serve(app, 'GET /agents/available', async () => agents.available())

  serve(app, 'GET /agents/status', async () => agents.status())

  serve(app, 'GET /agents/analytics', async (request) => {
    return agents.analytics(isAdminCall(request) ? null : principalOf(request).user.id)
  })

  serve(app, 'POST /agents/ask', async (request, reply) => {
    const { input } = request.body
    const caller = { ...callerOf(request), now: new Date() }
    const origin = originOf(request)
    if (!wantsEvents(request)) return agents.ask(input, { ...caller, signal: abortOnDisconnect(reply) }, origin)
    const { agent, confidence, candidates } = agents.choose(input, caller)
    if (agent !== null) {
      const run = (context: AgentContext) => agents.run(agent, input, context, origin)
      return sendEvents(reply, caller, { type: 'started', agent, confidence }, run)
    }
    const { output } = await agents.ask(input, caller, origin)
    return sendEvents(reply, caller, { type: 'unsure', output, candidates }, null)
  })

  serve(app, 'POST /agents/:name/run', async (request, reply) => {
    const { name } = request.params
    const { input } = request.body
    const caller = { ...callerOf(request), now: new Date() }
    const origin = originOf(request)
    if (!wantsEvents(request)) return agents.run(name, input, { ...caller, signal: abortOnDisconnect(reply) }, origin)
    agents.requireAgent(name)
    const run = (context: AgentContext) => agents.run(name, input, context, origin)
    return sendEvents(reply, caller, { type: 'started', agent: name }, run)
  })

  serve(app, 'GET /agents/:name/runs', async (request) =>
    agents.runs(principalOf(request).user.id, request.params.name, request.query),
  )

  serve(app, 'DELETE /agents/:name/runs', async (request) =>
    agents.deleteRuns(principalOf(request).user.id, request.params.name),
  )

  serve(app, 'DELETE /agents/runs/:id', async (request, reply) => {
    await agents.deleteRun(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}

/** Programs use an API token, the web app a session. */
function originOf(request: FastifyRequest): DirectCallOrigin {
  return { from: principalOf(request).via === 'token' ? 'api' : 'page', countsInAnalytics: !isAnalyticsOff(request) }
}

function wantsEvents({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/event-stream') ?? false
}

/** Streams a first event and those of a call, if there is one; disconnecting cancels the call. */
function sendEvents(
  reply: FastifyReply,
  caller: AgentContext,
  first: AgentEvent,
  run: ((caller: AgentContext) => Promise<AgentResponse>) | null,
): FastifyReply {
  const failed = (error: unknown): AgentEvent => {
    const appError = asAppError(error)
    if (appError === null) reply.log.error({ err: error }, 'an agent failed')
    return appError
      ? { type: 'failed', detail: forCaller(sentenceOf(appError)).text, code: appError.code }
      : { type: 'failed', detail: 'Something went wrong in this agent.', code: 'internal_error' }
  }
  return sendSse(reply, async function* (signal) {
    const events = eventsOf(first, run && ((progress) => run({ ...caller, progress, signal }).then(finished, failed)))
    for await (const event of events) yield sseEvent(z.encode(agentEventSchema, event))
    yield encodeSse({ data: SSE_DONE })
  })
}

function finished(response: AgentResponse): AgentEvent {
  return { type: 'finished', ...response }
}
