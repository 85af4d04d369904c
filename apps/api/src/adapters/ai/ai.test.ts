import { capabilities } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { readConfig } from '../../config.ts'
import { createAi } from './ai.ts'

let server: OpenAiServer

beforeAll(async () => {
  server = await startOpenAiServer()
})
afterAll(() => server.close())

const createTestAi = (environment: Record<string, string>, remote = {}) =>
  createAi({ config: readConfig(environment), log: silentLog, remote })

describe('with no model configured', () => {
  test('the built-in engine chats', () => {
    const ai = createTestAi({})
    expect(ai.chat().name).toBe('built-in')
    expect(ai.checks().chat).toEqual({ state: 'ok', engine: 'built-in', model: 'built-in' })
  })

  test('a model without a server is named in the log', () => {
    const warnings: unknown[] = []
    const log = { warn: (_fields: object, words: string) => warnings.push(words) } as unknown as typeof silentLog
    createAi({ config: readConfig({ CHAT_MODEL: 'llama3.2' }), log })
    createAi({ config: readConfig({}), log })
    expect(warnings).toEqual([expect.stringContaining('CHAT_MODEL is set without OPENAI_BASE_URL')])
  })

  test('every capability is named, and what is off says why', () => {
    const checks = createTestAi({}).checks()
    expect(Object.keys(checks).sort()).toEqual([...capabilities].sort())
    for (const check of Object.values(checks)) {
      if (check.state === 'off') expect(check.reason).toMatch(/\.$/)
    }
  })
})

describe('with a model server configured', () => {
  test('it chats, by its address alone', async () => {
    const ai = createTestAi({ OPENAI_BASE_URL: server.baseUrl })
    expect(ai.chat().name).toBe('remote')
    await expect.poll(() => ai.checks().chat).toEqual({ state: 'ok', engine: 'remote', model: 'test-model' })
  })

  test('a key alone means OpenAI', () => {
    const ai = createTestAi({ OPENAI_API_KEY: 'sk-x', CHAT_MODEL: 'gpt' }, { probeTimeoutMs: 1 })
    expect(ai.chat().name).toBe('remote')
    expect(ai.checks().chat.reason).toContain('https://api.openai.com')
  })

  test('nothing else answers in its name when it is down', async () => {
    const gone = await startOpenAiServer()
    await gone.close()
    const ai = createTestAi({ OPENAI_BASE_URL: gone.baseUrl })
    await expect.poll(() => ai.checks().chat.reason).toMatch(/nothing listens there/)
    expect(ai.checks().chat).toMatchObject({ state: 'error', engine: 'remote' })
    expect(ai.chat().name).toBe('remote')
  })
})
