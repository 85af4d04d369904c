import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { currentTokenId, runAsToken } from '../../../platform/http/access.ts'
import { type AnswerLog, createAnswerLog } from './stream.ts'

const chunk = (content: string): ChatEvent => ({ type: 'chunk', content })
const line = (seq: number, content: string) => `id: ${seq}\ndata: {"type":"chunk","content":"${content}"}\n\n`

async function readAll(log: AnswerLog, afterSeq = 0, signal = new AbortController().signal): Promise<string> {
  let text = ''
  for await (const part of log.read(afterSeq, signal)) text += part
  return text
}

describe('the log of an answer', () => {
  test('gives every reader the same text, whenever they join', async () => {
    const log = createAnswerLog()
    const early = readAll(log)
    log.append(chunk('a'))
    await sleep(1)
    const later = readAll(log)
    log.append(chunk('b'))
    log.append(chunk('c'))
    log.end()
    const expected = line(1, 'a') + line(2, 'b') + line(3, 'c')
    expect(await Promise.all([early, later, readAll(log)])).toEqual([expected, expected, expected])
  })

  test('presents an event to each reader in the context of their request', async () => {
    const tokenIds: (string | null)[] = []
    const log = createAnswerLog((event) => {
      tokenIds.push(currentTokenId())
      return { ...event }
    })
    await runAsToken('the maker', async () => log.append(chunk('a')))
    await runAsToken('a reader', async () => {
      const early = readAll(log)
      await sleep(1)
      runAsToken('the maker', () => log.append(chunk('b')))
      log.end()
      await early
    })
    await runAsToken(null, () => readAll(log))
    expect(tokenIds).toEqual(['a reader', 'a reader', null, null])
  })

  test('can be read from any event', async () => {
    const log = createAnswerLog()
    for (const content of ['a', 'b', 'c']) log.append(chunk(content))
    log.end()
    expect(await readAll(log, 2)).toBe(line(3, 'c'))
    expect(await readAll(log, 3)).toBe('')
    expect(await readAll(log, 99)).toBe('')
  })

  test('gives a lagging reader everything at once, in order', async () => {
    const log = createAnswerLog()
    log.append(chunk('a'))
    const reader = log.read(0, new AbortController().signal)
    await reader.next()
    for (const content of ['b', 'c', 'd']) log.append(chunk(content))
    expect((await reader.next()).value).toBe(line(2, 'b') + line(3, 'c') + line(4, 'd'))
    await reader.return(undefined)
  })

  test('ends for a reader that aborts', async () => {
    const log = createAnswerLog()
    const reader = new AbortController()
    const reading = readAll(log, 0, reader.signal)
    await sleep(1)
    reader.abort()
    expect(await reading).toBe('')
  })
})
