import { z } from 'zod'
import {
  agentAnalyticsSchema,
  agentAskResponseSchema,
  agentInputSchema,
  agentNameParamsSchema,
  agentResponseSchema,
  agentRunsDeletedSchema,
  agentRunsQuerySchema,
  agentRunsResponseSchema,
  agentSchema,
  agentsStatusSchema,
} from '../agents.ts'
import { idParamsSchema } from '../timestamp.ts'
import { noContentSchema, routes } from './route.ts'

const streamed = 'With `Accept: text/event-stream` the same comes as events, with what is being done meanwhile.'

export const agentsRoutes = routes({
  'GET /agents/available': {
    access: 'agents',
    summary: 'List the agents',
    tag: 'Agents',
    response: { 200: z.array(agentSchema) },
  },
  'GET /agents/status': {
    access: 'admin',
    summary: 'Read how the agents do',
    description: 'Counts everyone’s calls, but for those of people who keep their use out of analytics.',
    tag: 'Agents',
    response: { 200: agentsStatusSchema },
  },
  'GET /agents/analytics': {
    access: 'agents',
    summary: 'Read how the calls of each agent went',
    description: 'Of the caller; of everyone for an administrator. Calls kept out of analytics are not counted.',
    tag: 'Agents',
    response: { 200: agentAnalyticsSchema },
  },
  'POST /agents/ask': {
    access: 'agents',
    summary: 'Ask whichever agent is meant',
    description: `Picks the agent by what the sentence asks for. When none is surely meant, nothing is called and the answer lists which ones could be. ${streamed}`,
    tag: 'Agents',
    body: agentInputSchema,
    response: { 200: agentAskResponseSchema },
    errors: [400, 429, 502],
  },
  'POST /agents/:name/run': {
    access: 'agents',
    summary: 'Call an agent',
    description: streamed,
    tag: 'Agents',
    params: agentNameParamsSchema,
    body: agentInputSchema,
    response: { 200: agentResponseSchema },
    errors: [400, 429, 502],
  },
  'GET /agents/:name/runs': {
    access: 'agents',
    summary: 'List one’s own calls of an agent',
    tag: 'Agents',
    params: agentNameParamsSchema,
    query: agentRunsQuerySchema,
    response: { 200: agentRunsResponseSchema },
  },
  'DELETE /agents/:name/runs': {
    access: 'agents',
    summary: 'Delete one’s own calls of an agent',
    description: 'Figures stay: they hold nothing of what was asked.',
    tag: 'Agents',
    params: agentNameParamsSchema,
    response: { 200: agentRunsDeletedSchema },
  },
  'DELETE /agents/runs/:id': {
    access: 'agents',
    summary: 'Delete one of one’s own calls',
    tag: 'Agents',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
})
