import { expect, test } from 'vitest'
import { EMPTY_CONTEXT } from '../projects-and-personas.ts'
import { createMentionsService } from './mentions.service.ts'

test.each([
  ['any tool', undefined, ['search_web', 'read_page']],
  ['both web tools', ['search_web', 'read_page', 'calculator'], ['search_web', 'read_page']],
  ['only the search', ['search_web', 'calculator'], ['search_web']],
])(
  'with a persona that may use %s, a mentioned web search reads pages only if allowed',
  async (_what, allowedTools, expected) => {
    const mentions = createMentionsService({
      store: { itemsWithTag: async () => [] },
      agents: { tools: () => [], agentNameOf: () => null },
      web: { state: async () => ({ allowed: true, search: true }) },
      projects: {
        find: async () => Promise.reject(new Error('no project is named')),
        answerContextOf: async () => EMPTY_CONTEXT,
      },
    })
    const caller = {
      ...{ userId: 'someone', language: 'en' as const, timeZone: 'UTC' },
      ...{
        canUseAgents: true,
        canSearchMemory: true,
        canReadStored: true,
        chatTokenId: null,
        canKeepFacts: true,
        countsInAnalytics: true,
      },
    }
    const requestMentions = [{ kind: 'tool' as const, id: null, name: 'search_web' }]
    const context = await mentions.apply(caller, requestMentions, { ...EMPTY_CONTEXT, allowedTools })
    expect([context.allowedTools, context.requestedTools]).toEqual([expected, ['search_web']])
  },
)
