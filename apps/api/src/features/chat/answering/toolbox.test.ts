import type { AgentCall } from '@mira/shared'
import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { BadRequestError, UnavailableError } from '../../../errors.ts'
import { type ChatAgents, createToolbox } from './toolbox.ts'

const agents = (called: string[]): ChatAgents => ({
  tools: () => [],
  toolFor: () => null,
  agentNameOf: (name) => `${name} agent`,
  hasSideEffects: (name) => name === 'send',
  mayChange: (name) => name !== 'calculate',
  asksFirst: () => false,
  callTool: async (name) => {
    called.push(name)
    return { output: `${name} was called`, summary: '', data: {}, quotesOthers: name === 'news' }
  },
})

const toolboxWith = (deps: Partial<Parameters<typeof createToolbox>[0]>) =>
  createToolbox({
    tools: [],
    agents: agents([]),
    searchMemory: null,
    own: {},
    caller: { userId: 'someone', language: 'en', timeZone: 'UTC' },
    origin: { from: 'api', inAnalytics: true },
    newId: () => 'fresh',
    holdsOutsideText: true,
    canAskPerson: false,
    canRemember: false,
    tell: () => {},
    log: silentLog,
    ...deps,
  })

test.each([
  ['send', ['send'], true, []],
  ['send', ['send'], false, ['send']],
  ['calculate', ['calculate'], true, ['calculate']],
  ['send after news', ['news', 'send'], false, ['news']],
  ['send after a calculation', ['calculate', 'send'], false, ['calculate', 'send']],
])(
  '%s, of %j beside words of files: %s, calls %j, and what changes anything else waits',
  async (_what, names, hasOutsideText, expected) => {
    const called: string[] = []
    const told: AgentCall[] = []
    const toolbox = toolboxWith({
      agents: agents(called),
      origin: { sessionId: 'one', messageId: 'two', inAnalytics: true },
      holdsOutsideText: hasOutsideText,
      canAskPerson: true,
      tell: (call) => told.push(call),
    })
    const { signal } = new AbortController()
    const waiting: boolean[] = []
    for (const name of names) waiting.push((await toolbox.callTool(name, '{"input":"x"}', signal)).isWaiting === true)
    expect(called).toEqual(expected)
    expect(waiting).toEqual(names.map((name) => !expected.includes(name)))
    const asked = { call_id: 'fresh', name: 'send agent', state: 'waiting', arguments: { input: 'x' } }
    expect(told.filter(({ state }) => state === 'waiting')).toEqual(
      expected.includes('send') || !names.includes('send') ? [] : [asked],
    )
  },
)

test('what is too long for a person to judge does not wait for them, and is not done', async () => {
  const called: string[] = []
  const toolbox = toolboxWith({
    agents: agents(called),
    origin: { sessionId: 'one', messageId: 'two', inAnalytics: true },
    holdsOutsideText: true,
    canAskPerson: true,
  })
  const result = await toolbox.callTool(
    'send',
    JSON.stringify({ input: 'x'.repeat(3000) }),
    new AbortController().signal,
  )
  expect([result.isError, result.isWaiting, called]).toEqual([true, undefined, []])
})

test('what would wait for a person is not done where nobody can be asked, and says so', async () => {
  const called: string[] = []
  const told: AgentCall[] = []
  const toolbox = toolboxWith({
    agents: agents(called),
    origin: { from: 'api', inAnalytics: true },
    holdsOutsideText: true,
    canAskPerson: false,
    tell: (call) => told.push(call),
  })
  const result = await toolbox.callTool('send', '{"input":"x"}', new AbortController().signal)
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('cannot be asked here') })
  expect([result.isWaiting, called, told]).toEqual([undefined, [], []])
})

test.each<[string, string, Error | null, true | undefined]>([
  ['that needs nobody’s leave', 'move', null, true],
  ['that only calculates', 'calculate', null, undefined],
  ['whose server failed', 'move', new UnavailableError('It did not answer in time.'), true],
  ['that broke', 'move', new Error('broken'), true],
  ['that was refused', 'move', new BadRequestError('The arguments are not valid JSON.'), undefined],
])('a call %s: what may have been changed counts as changed', async (_what, name, error, hasChanged) => {
  const called: string[] = []
  const all = agents(called)
  const toolbox = toolboxWith({
    agents: {
      ...all,
      callTool: async (...asked) => {
        if (error !== null) throw error
        return all.callTool(...asked)
      },
    },
    origin: { from: 'api', inAnalytics: true },
    holdsOutsideText: true,
    canAskPerson: false,
  })
  const result = await toolbox.callTool(name, '{"input":"x"}', new AbortController().signal)
  expect([result.hasChanged, result.isError, called]).toEqual([hasChanged, error !== null, error ? [] : [name]])
  expect(result).not.toHaveProperty('isRefused')
})
