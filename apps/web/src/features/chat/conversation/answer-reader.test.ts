import type { ChatEvent } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import { chunk, emptyMessage, sessionEvent, settle, setUp, setUpBranches } from './conversation.fixture.ts'

describe('a connection that breaks in the middle of an answer', () => {
  it('is resumed where it stopped, without duplicates', async () => {
    const { conversation, sends, follows, texts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.push(1, sessionEvent)
    sends[0]!.stream.push(2, chunk('One '))
    sends[0]!.stream.disconnect()
    await settle()
    expect(conversation.state.get().activity).toBe('reconnecting')
    expect(follows.map(({ sessionId, reached }) => ({ sessionId, reached }))).toEqual([
      { sessionId: 's1', reached: { messageId: 'a1', afterEventId: 2 } },
    ])
    follows[0]!.stream.push(3, chunk('two '))
    follows[0]!.stream.disconnect()
    await settle()
    expect(follows[1]!.reached).toEqual({ messageId: 'a1', afterEventId: 3 })
    follows[1]!.stream.push(4, chunk('three'))
    await settle()
    expect(texts()[1]).toEqual(['assistant', 'One two three'])
    expect(sends).toHaveLength(1)
  })

  it('is retried as long as the server is unavailable', async () => {
    const { conversation, sends, follows } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.push(1, sessionEvent)
    sends[0]!.stream.disconnect()
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await settle()
      follows[attempt]!.stream.fail(503, 'The database is away.')
    }
    await settle()
    expect(follows).toHaveLength(10)
    expect(conversation.state.get().activity).toBe('reconnecting')
  })

  it('shows the stored answer when the stream no longer exists', async () => {
    const { conversation, sends, follows, stored, texts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.push(1, sessionEvent)
    sends[0]!.stream.disconnect()
    await settle()
    stored.messages = [
      { ...emptyMessage, id: 'u1', role: 'user', content: 'Hello' },
      { ...emptyMessage, id: 'a1', role: 'assistant', content: 'One two', interrupted: true },
    ]
    follows[0]!.stream.fail(404, 'Not found.')
    await settle()
    expect(texts()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'One two'],
    ])
    expect(conversation.state.get().activity).toBe('idle')
  })
})

describe('another version of an answer', () => {
  it('replaces the first one and is shown as it streams', async () => {
    const { conversation, regenerations, texts } = await setUpBranches()
    const regenerated = conversation.regenerate('a1')
    expect(regenerations[0]).toMatchObject({ sessionId: 's1', messageId: 'a1' })
    regenerations[0]!.stream.push(1, { ...sessionEvent, message_id: 'a3' } as ChatEvent)
    regenerations[0]!.stream.push(2, chunk('Uno'))
    await settle()
    expect(texts()).toEqual([
      ['user', 'First'],
      ['assistant', 'Uno'],
    ])
    expect(conversation.state.get().items[1]).toMatchObject({ id: 'a3', streaming: true })
    regenerations[0]!.stream.end()
    await regenerated
  })

  it('leaves the existing answer when it is refused', async () => {
    const { conversation, regenerations, texts } = await setUpBranches()
    const regenerated = conversation.regenerate('a2')
    regenerations[0]!.stream.fail(409, 'Another answer is being made.')
    await expect(regenerated).rejects.toThrow('Another answer is being made.')
    expect(texts().at(-1)).toEqual(['assistant', 'Two'])
    expect(conversation.state.get().activity).toBe('idle')
  })
})
