import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import type { ActivityRecord } from '../../db/activity.ts'
import { BadRequestError, NotFoundError } from '../../errors.ts'
import type { AgentCaller, AgentKind } from './agent-kind.ts'
import { createAgentsService } from './agents.service.ts'

const caller: AgentCaller = { userId: 'user', language: 'en', timeZone: 'UTC', now: new Date() }
const origin = { sessionId: 'session', messageId: 'message', inAnalytics: true }

const kindOf = (name: string, confidence: number, run: AgentKind['run']): AgentKind => ({
  name: `${name.charAt(0).toUpperCase()}${name.slice(1)}Agent`,
  description: `About ${name}`,
  capabilities: [name],
  intents: [`${name}?`],
  tool: { name, description: `Tells ${name}`, parameters: { type: 'object' } },
  confidence: () => confidence,
  run,
})
const said = (output: string) => ({ output, summary: output, data: {} })

function create(...kinds: AgentKind[]) {
  const recorded: ActivityRecord[] = []
  const store = {
    record: async (activity: ActivityRecord) => {
      await sleep(5)
      recorded.push(activity)
    },
    countCalls: async () => ({ completed: 2, failed: 1, total: 4 }),
  }
  return { agents: createAgentsService({ kinds, store, log: silentLog }), recorded }
}

describe('the agents of a server', () => {
  test('are called as tools, and each call is recorded once it has ended', async () => {
    const { agents, recorded } = create(kindOf('weather', 0, async (input) => said(`Sunny in ${input}`)))
    expect(await agents.callTool('weather', '{"input":"Lisbon"}', caller, origin)).toMatchObject({
      output: 'Sunny in Lisbon',
      durationMs: expect.any(Number),
    })
    await agents.close()
    expect(recorded).toEqual([
      {
        userId: 'user',
        kind: 'agent',
        outcome: 'completed',
        subjectId: 'session',
        detailId: 'message',
        durationMs: expect.any(Number),
        detail: { action: 'called', agent: 'WeatherAgent', code: null },
        inAnalytics: true,
      },
    ])
  })

  test('that fail or are stopped are recorded as such', async () => {
    const stopping = new AbortController()
    const { agents, recorded } = create(
      kindOf('weather', 0, async (input) => {
        if (input === 'stop') stopping.abort()
        throw input === 'bug' ? new TypeError('x') : new BadRequestError('No such place.', { code: 'no_place' })
      }),
    )
    const call = (input: string, signal?: AbortSignal) =>
      agents.callTool('weather', JSON.stringify({ input }), { ...caller, signal }, origin)
    await expect(call('Atlantis')).rejects.toThrow('No such place.')
    await expect(call('bug')).rejects.toThrow(TypeError)
    await expect(call('stop', stopping.signal)).rejects.toThrow()
    await agents.close()
    expect(recorded.map(({ outcome, detail }) => [outcome, detail.code])).toEqual([
      ['failed', 'no_place'],
      ['failed', 'internal_error'],
      ['interrupted', 'no_place'],
    ])
  })

  test.each(['{"input": "Lis', '[]', '{}', '{"input": 3}', '{"input": ""}', 'null', ''])(
    'refuse arguments that they cannot read, with a sentence for the model: %j',
    async (argumentsText) => {
      const { agents, recorded } = create(kindOf('weather', 0, async () => said('Sunny')))
      const calling = agents.callTool('weather', argumentsText, caller, origin)
      await expect(calling).rejects.toThrow(BadRequestError)
      await expect(calling).rejects.toThrow('such as {"input": "15% of 80"}')
      await agents.close()
      expect(recorded).toEqual([])
    },
  )

  test('name the tools that there are to who asks for another', async () => {
    const { agents } = create(
      kindOf('weather', 0, async () => said('')),
      kindOf('news', 0, async () => said('')),
    )
    const calling = agents.callTool('x'.repeat(500), '{}', caller, origin)
    await expect(calling).rejects.toThrow(NotFoundError)
    await expect(calling).rejects.toThrow(/^There is no tool "x{80}"\. The tools are: weather, news\.$/)
    expect([agents.agentNameOf('weather'), agents.agentNameOf('x')]).toEqual(['WeatherAgent', null])
  })

  test('are meant by a sentence when one of them is sure, the surest first', () => {
    const run = async () => said('')
    const { agents } = create(kindOf('weather', 0.85, run), kindOf('news', 0.95, run), kindOf('files', 0.2, run))
    expect(agents.toolFor('anything', caller)).toBe('news')
    expect(create(kindOf('files', 0.7, run)).agents.toolFor('anything', caller)).toBeNull()
    expect(create().agents.toolFor('anything', caller)).toBeNull()
  })

  test('are counted with how everyone’s calls went', async () => {
    const { agents } = create(kindOf('weather', 0, async () => said('')))
    expect(await agents.status()).toEqual({
      total_agents: 1,
      active_agents: ['WeatherAgent'],
      total_requests: 4,
      success_rate: 66.7,
    })
  })
})
