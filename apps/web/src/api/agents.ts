import { path } from '@mira/client/path'
import type { AgentAnalyticsJson, AgentEvent, AgentRunsResponseJson, AgentsStatus, AgentView } from '@mira/shared'
import { call, requestEvents } from './client.ts'

/** All agents, with their current availability. */
export async function fetchAgents(signal?: AbortSignal): Promise<AgentView[]> {
  return call('GET /agents/available', { signal })
}

/** State of the server's agents (administrators). */
export async function fetchAgentsStatus(signal?: AbortSignal): Promise<AgentsStatus> {
  return call('GET /agents/status', { signal })
}

/** Statistics of calls per agent. */
export async function fetchAgentAnalytics(signal?: AbortSignal): Promise<AgentAnalyticsJson> {
  return call('GET /agents/analytics', { signal })
}

/**
 * Calls an agent, or the one that a sentence means, and hands on what it does and what it came to.
 *
 * @param agent null for whichever is meant.
 */
export async function* callAgent(agent: string | null, input: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const address = agent === null ? '/agents/ask' : path`/agents/${agent}/run`
  for await (const { data } of requestEvents(address, { method: 'POST', json: { input }, signal })) {
    if (data === '[DONE]') return
    yield JSON.parse(data) as AgentEvent
  }
}

/** A page of the user's own calls of an agent, newest first. */
export async function fetchAgentRuns(
  agent: string,
  { cursor, limit }: { cursor: string | null; limit: number },
  signal?: AbortSignal,
): Promise<AgentRunsResponseJson> {
  return call('GET /agents/:name/runs', { params: { name: agent }, signal, query: { cursor, limit } })
}

/** Removes a call from the user's history. */
export async function deleteAgentRun(id: string): Promise<void> {
  await call('DELETE /agents/runs/:id', { params: { id } })
}

/** Removes the user's whole history of an agent. */
export async function deleteAgentRuns(agent: string): Promise<void> {
  await call('DELETE /agents/:name/runs', { params: { name: agent } })
}
