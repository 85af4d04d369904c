import { z } from 'zod'

/** One of GET /agents/available: an agent and whether it can be called now. */
export const agentSchema = z.object({
  /** Such as CalculatorAgent. */
  name: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  /** Example commands. */
  intents: z.array(z.string()),
  available: z.boolean(),
  /** Why it cannot be called, for a person. */
  unavailable_reason: z.string().optional(),
})
export type AgentView = z.output<typeof agentSchema>

/** GET /agents/status: the system status block, over everyone's calls. */
export const agentsStatusSchema = z.object({
  total_agents: z.number().int(),
  /** Names of those that can be called. */
  active_agents: z.array(z.string()),
  /** Calls of agents so far. */
  total_requests: z.number().int(),
  /** Percent of calls that ended well, without those that were stopped; null when there were none. */
  success_rate: z.number().nullable(),
})
export type AgentsStatus = z.output<typeof agentsStatusSchema>
