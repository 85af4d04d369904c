import {
  type AgentEvent,
  type AgentResponse,
  agentAnalyticsSchema,
  agentAskResponseSchema,
  agentEventSchema,
  agentInputSchema,
  agentNameParamsSchema,
  agentResponseSchema,
  agentRunsDeletedSchema,
  agentRunsQuerySchema,
  agentRunsResponseSchema,
  agentSchema,
  agentsStatusSchema,
  encodeSse,
  idParamsSchema,
  type Language,
  SSE_DONE,
} from '@mira/shared'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import { asAppError } from '../../../platform/http/error-handler.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import { sendSse, sseEvent } from '../../../platform/http/sse.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { DirectCallOrigin } from './agent-calls.ts'
import type { AgentContext } from './agent-kind.ts'
import type { AgentsService } from './agents.service.ts'

/** Work that reports progress and resolves to its last event. */
type TellingWork = (progress: (text: string) => void) => Promise<AgentEvent>

/** Between a call and a reader who takes nothing; progress beyond is not told. */
const MAX_WAITING_EVENTS = 50

/** A first event and those of a call as they come; ends with what the work came to. The work must not throw. */
async function* eventsOf(first: AgentEvent, work: TellingWork | null): AsyncGenerator<AgentEvent> {
  yield first
  if (work === null) return
  const waiting: AgentEvent[] = []
  let wake = () => {}
  let last: AgentEvent | null = null
  const tell = (event: AgentEvent) => {
    waiting.push(event)
    wake()
  }
  const working = work((text) => {
    if (last === null && waiting.length < MAX_WAITING_EVENTS) tell({ type: 'progress', text })
  }).then((event) => {
    last = event
    tell(event)
  })
  for (;;) {
    const next = waiting.shift()
    if (next !== undefined) yield next
    if (next !== undefined && next === last) return
    if (waiting.length > 0) continue
    const told = new Promise<void>((resolve) => {
      wake = resolve
    })
    await Promise.race([working, told])
  }
}

const streamed = 'With `Accept: text/event-stream` the same comes as events, with what is being done meanwhile.'

/** /agents: which agents there are, how they do, and calling them. */
export async function agentsRoutes(fastify: FastifyInstance, { agents }: { agents: AgentsService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/agents/available',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'List the agents',
        tags: ['Agents'],
        response: { 200: z.array(agentSchema) },
      },
    },
    async () => agents.available(),
  )

  app.get(
    '/agents/status',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read how the agents do',
        description: 'Counts everyone’s calls, but for those of people who keep their use out of analytics.',
        tags: ['Agents'],
        response: { 200: agentsStatusSchema },
      },
    },
    async () => agents.status(),
  )

  app.get(
    '/agents/analytics',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'Read how the calls of each agent went',
        description: 'Of the caller; of everyone for an administrator. Calls kept out of analytics are not counted.',
        tags: ['Agents'],
        response: { 200: agentAnalyticsSchema },
      },
    },
    async (request) => {
      const { user } = principalOf(request)
      return agents.analytics(user.role === 'admin' ? null : user.id)
    },
  )

  app.post(
    '/agents/ask',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'Ask whichever agent is meant',
        description: `Picks the agent by what the sentence asks for. When none is surely meant, nothing is called and the answer lists which ones could be. ${streamed}`,
        tags: ['Agents'],
        body: agentInputSchema,
        response: { 200: agentAskResponseSchema },
        errors: [400, 429, 502],
      },
    },
    async (request, reply) => {
      const { input } = request.body
      const caller = callerOf(request)
      const origin = originOf(request)
      if (!wantsEvents(request)) return agents.ask(input, { ...caller, signal: abortWhenCallerLeaves(reply) }, origin)
      const { agent, confidence, candidates } = agents.choose(input, caller)
      if (agent !== null) {
        const run = (told: AgentContext) => agents.run(agent, input, told, origin)
        return sendEvents(reply, caller, { type: 'started', agent, confidence }, run)
      }
      const { output } = await agents.ask(input, caller, origin)
      return sendEvents(reply, caller, { type: 'unsure', output, candidates }, null)
    },
  )

  app.post(
    '/agents/:name/run',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'Call an agent',
        description: streamed,
        tags: ['Agents'],
        params: agentNameParamsSchema,
        body: agentInputSchema,
        response: { 200: agentResponseSchema },
        errors: [400, 429, 502],
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const { input } = request.body
      const caller = callerOf(request)
      const origin = originOf(request)
      if (!wantsEvents(request))
        return agents.run(name, input, { ...caller, signal: abortWhenCallerLeaves(reply) }, origin)
      agents.requireAgent(name)
      const run = (told: AgentContext) => agents.run(name, input, told, origin)
      return sendEvents(reply, caller, { type: 'started', agent: name }, run)
    },
  )

  app.get(
    '/agents/:name/runs',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'List one’s own calls of an agent',
        tags: ['Agents'],
        params: agentNameParamsSchema,
        querystring: agentRunsQuerySchema,
        response: { 200: agentRunsResponseSchema },
      },
    },
    async (request) => agents.runs(principalOf(request).user.id, request.params.name, request.query),
  )

  app.delete(
    '/agents/:name/runs',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'Delete one’s own calls of an agent',
        description: 'Figures stay: they hold nothing of what was asked.',
        tags: ['Agents'],
        params: agentNameParamsSchema,
        response: { 200: agentRunsDeletedSchema },
      },
    },
    async (request) => agents.deleteRuns(principalOf(request).user.id, request.params.name),
  )

  app.delete(
    '/agents/runs/:id',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'Delete one of one’s own calls',
        tags: ['Agents'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await agents.deleteRun(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )
}

function callerOf(request: FastifyRequest): AgentContext {
  const { user, language, timeZone } = principalOf(request)
  return { userId: user.id, language: language as Language, timeZone, now: new Date() }
}

/** Programs come with a personal API token, the web app with a session. */
function originOf(request: FastifyRequest): DirectCallOrigin {
  return { from: principalOf(request).via === 'token' ? 'api' : 'page', inAnalytics: !isAnalyticsOff(request) }
}

function wantsEvents({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/event-stream') ?? false
}

/** Answers with a first event and those of a call, if there is one; who goes away stops the call. */
function sendEvents(
  reply: FastifyReply,
  caller: AgentContext,
  first: AgentEvent,
  run: ((caller: AgentContext) => Promise<AgentResponse>) | null,
): FastifyReply {
  const failed = (error: unknown): AgentEvent => {
    const known = asAppError(error)
    if (known === null) reply.log.error({ err: error }, 'an agent failed')
    return known
      ? { type: 'failed', detail: known.message, code: known.code }
      : { type: 'failed', detail: 'Something went wrong in this agent.', code: 'internal_error' }
  }
  return sendSse(reply, async function* (signal) {
    const events = eventsOf(first, run && ((progress) => run({ ...caller, progress, signal }).then(finished, failed)))
    for await (const event of events) yield sseEvent(z.encode(agentEventSchema, event))
    yield encodeSse({ data: SSE_DONE })
  })
}

function finished(answer: AgentResponse): AgentEvent {
  return { type: 'finished', ...answer }
}
