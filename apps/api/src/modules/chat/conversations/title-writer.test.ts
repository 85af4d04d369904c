import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import type { ChatEngine } from '../../../engines/chat-engine.ts'
import { createTitleWriter } from './titles-and-summaries.ts'

const untitled = { sessionId: 'session', question: 'When?', answer: 'In May.' }

/** Writes titles with an engine that gives this, and tells what was named. */
async function write(title: ChatEngine['title'], isNamedByPerson = false) {
  const named: string[] = []
  let noticeCount = 0
  const engine: ChatEngine = {
    name: 'remote',
    model: () => 'm',
    contextTokens: async () => 8192,
    answer: () => {
      throw new Error('not asked')
    },
    title,
    rephrase: async () => null,
    summarise: async () => null,
  }
  const writer = createTitleWriter({
    ai: { chat: () => engine },
    sessions: {
      nameSession: async (_id, name) => {
        if (!isNamedByPerson) named.push(name)
        return !isNamedByPerson
      },
    },
    log: silentLog,
  })
  writer.begin(untitled, () => noticeCount++)
  return { writer, named, told: () => noticeCount }
}

describe('the title of a conversation', () => {
  test('is written by the model in the background', async () => {
    const { named, told: noticeCount } = await write(async (question, answer) => `"${question} ${answer}"`)
    await expect.poll(() => named).toEqual(['When? In May'])
    expect(noticeCount()).toBe(1)
  })

  test('stays that of the person who gave one', async () => {
    const { writer, named, told: noticeCount } = await write(async () => 'Another', true)
    await writer.close()
    await sleep(5)
    expect([named, noticeCount()]).toEqual([[], 0])
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
  ])('stays its first words when %s', async (_why, title) => {
    const { named } = await write(title)
    await sleep(10)
    expect(named).toEqual([])
  })

  test('gives way to the next message, and to the end of the server', async () => {
    for (const give of ['cancel', 'close'] as const) {
      let isAborted = false
      const { writer, named } = await write(async (_question, _answer, signal) => {
        await sleep(10_000, undefined, { signal }).catch(() => {
          isAborted = true
        })
        return 'Too late'
      })
      if (give === 'cancel') writer.cancel('session')
      await writer.close()
      expect([isAborted, named]).toEqual([true, []])
    }
  })
})
