import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import type { ChatEngine } from '../../../engines/chat-engine.ts'
import { createTitleWriter } from './titles-and-summaries.ts'

const untitled = { sessionId: 'session', question: 'When?', answer: 'In May.' }

/** Writes a title with a fake engine; unless the user has chosen a name, the fake store saves it. */
async function write(title: ChatEngine['title'], isNamedByUser = false) {
  const savedNames: string[] = []
  let noticeCount = 0
  const engine: ChatEngine = {
    name: 'remote',
    model: () => 'm',
    contextTokens: async () => 8192,
    answer: () => {
      throw new Error('answer was called')
    },
    title,
    rephrase: async () => null,
    summarise: async () => null,
  }
  const writer = createTitleWriter({
    ai: { chat: () => engine },
    sessions: {
      nameSession: async (_id, name) => {
        if (!isNamedByUser) savedNames.push(name)
        return !isNamedByUser
      },
    },
    log: silentLog,
  })
  writer.begin(untitled, () => noticeCount++)
  return { writer, savedNames, noticeCount: () => noticeCount }
}

describe('the title of a conversation', () => {
  test('is written by the model in the background', async () => {
    const { savedNames, noticeCount } = await write(async (question, answer) => `"${question} ${answer}"`)
    await expect.poll(() => savedNames).toEqual(['When? In May'])
    expect(noticeCount()).toBe(1)
  })

  test('isn’t announced when the store keeps the one that the user chose', async () => {
    const { writer, noticeCount } = await write(async () => 'Another', true)
    await writer.close()
    await sleep(5)
    expect(noticeCount()).toBe(0)
  })

  test.each<[string, ChatEngine['title']]>([
    ['the model writes none', async () => null],
    ['the model writes nothing usable', async () => '""'],
    [
      'the model server is down',
      async () => {
        throw new Error('no')
      },
    ],
  ])('isn’t replaced when %s', async (_why, title) => {
    const { savedNames } = await write(title)
    await sleep(10)
    expect(savedNames).toEqual([])
  })

  test('stops being written on cancel and on shutdown', async () => {
    for (const method of ['cancel', 'close'] as const) {
      let isAborted = false
      const { writer, savedNames } = await write(async (_question, _answer, signal) => {
        await sleep(10_000, undefined, { signal }).catch(() => {
          isAborted = true
        })
        return 'Too late'
      })
      if (method === 'cancel') writer.cancel('session')
      await writer.close()
      expect([isAborted, savedNames]).toEqual([true, []])
    }
  })
})
