import { path } from '@mira/client/path'
import type { AgentAnalyticsJson, AgentEvent, AgentRunsResponseJson, AgentsStatus, AgentView } from '@mira/shared'
import { request, requestEvents, requestJson } from './client.ts'

/** All agents, with their current availability. */
export async function fetchAgents(signal?: AbortSignal): Promise<AgentView[]> {
  return requestJson('/agents/available', { signal })
}

/** State of the server's agents (administrators). */
export async function fetchAgentsStatus(signal?: AbortSignal): Promise<AgentsStatus> {
  return requestJson('/agents/status', { signal })
}

/** Statistics of calls per agent. */
export async function fetchAgentAnalytics(signal?: AbortSignal): Promise<AgentAnalyticsJson> {
  return requestJson('/agents/analytics', { signal })
}

/**
 * Calls an agent, or the one that a sentence means, and hands on what it does and what it came to.
 *
 * @param agent null for whichever is meant.
 */
export async function* callAgent(agent: string | null, input: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const path = agent === null ? '/agents/ask' : `${agentPath(agent)}/run`
  for await (const { data } of requestEvents(path, { method: 'POST', json: { input }, signal })) {
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
  return requestJson(`${agentPath(agent)}/runs`, { signal, query: { cursor, limit } })
}

/** Removes a call from the user's history. */
export async function deleteAgentRun(id: string): Promise<void> {
  await request(path`/agents/runs/${id}`, { method: 'DELETE' })
}

/** Removes the user's whole history of an agent. */
export async function deleteAgentRuns(agent: string): Promise<void> {
  await request(`${agentPath(agent)}/runs`, { method: 'DELETE' })
}

function agentPath(agent: string): string {
  return path`/agents/${agent}`
}
