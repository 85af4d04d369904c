import { expect, test } from 'vitest'
import { EMPTY_CONTEXT } from '../projects-and-personas.ts'
import { createMentionsService } from './mentions.service.ts'

test.each([
  ['anything', undefined, ['search_web', 'read_page']],
  ['both', ['search_web', 'read_page', 'calculator'], ['search_web', 'read_page']],
  ['searching alone', ['search_web', 'calculator'], ['search_web']],
])(
  'of a persona that may use %s, a search of the web that is named reads pages only where it may',
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
        inAnalytics: true,
      },
    }
    const named = [{ kind: 'tool' as const, id: null, name: 'search_web' }]
    const context = await mentions.apply(caller, named, { ...EMPTY_CONTEXT, allowedTools })
    expect([context.allowedTools, context.calledTools]).toEqual([expected, ['search_web']])
  },
)
