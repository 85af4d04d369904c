import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { BadRequestError, NotFoundError } from '../../../errors.ts'
import type { IntentGuess } from '../../../offline/intents/intent-classifier.ts'
import type { ActivityRecord } from '../../../platform/database/activity.ts'
import { say } from '../../../sentences.ts'
import type { AgentContext, AgentKind } from './agent-kind.ts'
import { createAgentsService } from './agents.service.ts'
import type { AgentFigures, AgentsStore, RunRecord } from './agents.store.ts'
import type { IntentsService } from './intents.service.ts'

const caller: AgentContext = {
  ...{ userId: 'user', canSearchMemory: true, canReadStored: true },
  ...{ language: 'en', timeZone: 'UTC', now: new Date() },
}
const origin = { sessionId: 'session', messageId: 'message', countsInAnalytics: true }

const kindOf = (name: string, confidence: number, run: AgentKind['run']): AgentKind => ({
  name: `${name.charAt(0).toUpperCase()}${name.slice(1)}Agent`,
  description: `About ${name}`,
  capabilities: [name],
  intents: [`${name}?`],
  hasSideEffects: false,
  tool: { name, description: `Tells ${name}`, parameters: { type: 'object' } },
  confidence: () => confidence,
  run,
})
const data = { kind: 'reminders' as const, action: 'listed' as const, reminders: [] }
const resultOf = (output: string) => ({ output, summary: output, data })

const lastUsed = new Date('2026-11-20T10:00:00Z')
const figuresOf = (name: string, figures: Partial<AgentFigures>): AgentFigures => ({
  ...{ name, total: 0, completed: 0, failed: 0, averageMs: null, recentCompleted: 0, recentEnded: 20, lastUsed },
  ...figures,
})

const create = (...kinds: AgentKind[]) => createWith(undefined, ...kinds)

function createWith(guesses: IntentGuess[] | undefined, ...kinds: AgentKind[]) {
  const recorded: ActivityRecord[] = []
  const runs: RunRecord[] = []
  const store: AgentsStore = {
    record: async (activity, run) => {
      await sleep(5)
      recorded.push(activity)
      runs.push(run)
    },
    findRuns: async () => [],
    deleteRun: async () => false,
    deleteRuns: async () => 0,
    recentOutcomes: async () => [{ name: 'WeatherAgent', recentCompleted: 11, recentEnded: 20 }],
    figures: async () => [
      figuresOf('WeatherAgent', { total: 30, completed: 20, failed: 9, averageMs: 120.4, recentCompleted: 11 }),
    ],
    countCalls: async () => ({ completed: 2, failed: 1, total: 4 }),
  }
  return {
    agents: createAgentsService({
      kinds,
      store,
      ...(guesses ? { intents: { guess: () => guesses } as unknown as IntentsService } : {}),
      signPath: (_userId, path) => path,
      events: { publish: () => {} },
      log: silentLog,
    }),
    recorded,
    runs,
  }
}

describe('agents', () => {
  test('are called as tools, and each call is recorded when it ends', async () => {
    const { agents, recorded, runs } = create(kindOf('weather', 0, async (input) => resultOf(`Sunny in ${input}`)))
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
        detail: { action: 'called', agent: 'WeatherAgent', code: null, run_id: runs[0]?.id },
        countsInAnalytics: true,
      },
    ])
    expect(runs).toEqual([
      {
        id: expect.any(String),
        agentName: 'WeatherAgent',
        input: 'Lisbon',
        output: 'Sunny in Lisbon',
        data,
        outcome: 'completed',
        durationMs: expect.any(Number),
        origin: 'chat',
        sessionId: 'session',
      },
    ])
  })

  test('have failed and interrupted calls recorded as such', async () => {
    const abortController = new AbortController()
    const { agents, recorded } = create(
      kindOf('weather', 0, async (input) => {
        if (input === 'stop') abortController.abort()
        throw input === 'bug' ? new TypeError('x') : new BadRequestError('No such place.', { code: 'no_place' })
      }),
    )
    const call = (input: string, signal?: AbortSignal) =>
      agents.callTool('weather', JSON.stringify({ input }), { ...caller, signal }, origin)
    await expect(call('Atlantis')).rejects.toThrow('No such place.')
    await expect(call('bug')).rejects.toThrow(TypeError)
    await expect(call('stop', abortController.signal)).rejects.toThrow()
    await agents.close()
    expect(recorded.map(({ outcome, detail }) => [outcome, detail.code])).toEqual([
      ['failed', 'no_place'],
      ['failed', 'internal_error'],
      ['interrupted', 'no_place'],
    ])
  })

  test.each(['{"input": "Lis', '[]', '{}', '{"input": 3}', '{"input": ""}', 'null', ''])(
    'reject invalid arguments with an example for the model: %j',
    async (argumentsText) => {
      const { agents, recorded } = create(kindOf('weather', 0, async () => resultOf('Sunny')))
      const calling = agents.callTool('weather', argumentsText, caller, origin)
      await expect(calling).rejects.toThrow(BadRequestError)
      await expect(calling).rejects.toThrow('such as {"input": "15% of 80"}')
      await agents.close()
      expect(recorded).toEqual([])
    },
  )

  test('list the available tools when an unknown one is called', async () => {
    const { agents } = create(
      kindOf('weather', 0, async () => resultOf('')),
      kindOf('news', 0, async () => resultOf('')),
    )
    const calling = agents.callTool('x'.repeat(500), '{}', caller, origin)
    await expect(calling).rejects.toThrow(NotFoundError)
    await expect(calling).rejects.toThrow(/^There is no tool "x{80}"\. The tools are: weather, news\.$/)
    expect([agents.agentNameOf('weather'), agents.agentNameOf('x')]).toEqual(['WeatherAgent', null])
  })

  test('aren’t chosen when the classifier is confident that none is meant, unless their own confidence is very high', () => {
    const run = async () => resultOf('')
    const toolFor = (confidence: number, probability: number) =>
      createWith([{ label: 'none', probability }], kindOf('files', confidence, run)).agents.toolFor('anything', caller)
    expect(toolFor(0.85, 0.99)).toBeNull()
    expect(toolFor(0.85, 0.5)).toBe('files')
    expect(toolFor(0.95, 0.99)).toBe('files')
  })

  test('are chosen by highest confidence, and none is chosen when all are unsure', () => {
    const run = async () => resultOf('')
    const { agents } = create(kindOf('weather', 0.85, run), kindOf('news', 0.95, run), kindOf('files', 0.2, run))
    expect(agents.toolFor('anything', caller)).toBe('news')
    expect(create(kindOf('files', 0.7, run)).agents.toolFor('anything', caller)).toBeNull()
    expect(create().agents.toolFor('anything', caller)).toBeNull()
  })

  test('report the number and success rate of all users’ calls', async () => {
    const { agents } = create(kindOf('weather', 0, async () => resultOf('')))
    expect(await agents.status()).toEqual({
      total_agents: 1,
      active_agents: ['WeatherAgent'],
      total_requests: 4,
      success_rate: 66.7,
    })
  })

  test('have individual statistics, even when never called or unavailable', async () => {
    const reason = say('no_news_feeds', {})
    const unavailable = { ...kindOf('news', 0, async () => resultOf('')), unavailableReason: () => reason }
    const { agents } = create(
      kindOf('files', 0, async () => resultOf('')),
      unavailable,
      kindOf('weather', 0, async () => resultOf('')),
    )
    const none = { calls: 0, success_rate: null, avg_response_time: null, last_used: null }
    const weather = { calls: 30, success_rate: 69, avg_response_time: 120, status: 'warning', last_used: lastUsed }
    expect(await agents.analytics('user')).toEqual({
      totals: { calls: 30, success_rate: 69, avg_response_time: 120 },
      agents: [
        { name: 'WeatherAgent', ...weather },
        { name: 'FilesAgent', ...none, status: 'active' },
        { name: 'NewsAgent', ...none, status: 'error' },
      ],
    })
    expect(agents.available()[1]).toMatchObject({
      available: false,
      unavailable_reason: reason.text,
      unavailable_told: reason.sentences,
    })
    expect((await agents.status()).active_agents).toEqual(['FilesAgent', 'WeatherAgent'])
    expect(agents.tools('somebody').map(({ name }) => name)).toEqual(['files', 'weather'])
    await expect(agents.run('NewsAgent', 'x', caller, { from: 'page', countsInAnalytics: true })).rejects.toMatchObject(
      {
        status: 503,
        message: reason.text,
        sentences: reason.sentences,
      },
    )
  })

  test('run at most six calls per user at once', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { agents, runs } = create(kindOf('weather', 0, () => released.then(() => resultOf('Sunny'))))
    const run = (userId: string) =>
      agents.run('WeatherAgent', 'Lisbon', { ...caller, userId }, { from: 'api', countsInAnalytics: true })
    const running = Array.from({ length: 6 }, () => run('busy'))
    await expect(run('busy')).rejects.toMatchObject({ status: 429, code: 'too_many_calls' })
    const other = run('somebody else')
    release()
    await Promise.all([...running, other])
    await run('busy')
    expect(runs.map(({ origin }) => origin)).toEqual(Array(8).fill('api'))
  })
})
