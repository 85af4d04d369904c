import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../lib/api/client.ts'
import { chunk, complete, emptyMessage, sessionEvent, settle, setUp } from './conversation.fixture.ts'

describe('an opened conversation', () => {
  it('follows an answer that is still being generated', async () => {
    const { conversation, follows, stored, texts } = setUp()
    stored.messages = [
      { ...emptyMessage, id: 'u1', content: 'Hello' },
      { ...emptyMessage, id: 'a1', role: 'assistant', content: 'On', streaming: true },
    ]
    conversation.open('s1')
    await settle()
    expect(follows.map(({ reached }) => reached)).toEqual([{ messageId: 'a1', afterEventId: null }])
    follows[0]!.stream.push(1, sessionEvent)
    follows[0]!.stream.push(2, chunk('One two'))
    await settle()
    expect(texts()[1]).toEqual(['assistant', 'One two'])
    expect(conversation.state.get().activity).toBe('answering')
  })

  it('follows the answer to a message sent from another tab', async () => {
    const { conversation, follows, stored } = setUp()
    conversation.open('s1')
    await settle()
    expect(follows).toEqual([])
    stored.messages = [
      { ...emptyMessage, id: 'u1', content: 'Hello' },
      { ...emptyMessage, id: 'a1', role: 'assistant', streaming: true },
    ]
    conversation.reloadWhenIdle()
    await settle()
    expect(follows).toHaveLength(1)
  })

  it('waits for the end of its own answer before it reloads', async () => {
    const { conversation, sends, stored, texts } = setUp()
    conversation.open('s1')
    await settle()
    conversation.send('Hello')
    sends[0]!.stream.push(1, sessionEvent)
    stored.session_name = 'Days in Lisbon'
    stored.messages = [{ ...emptyMessage, id: 'u1', content: 'Hello' }]
    conversation.reloadWhenIdle()
    await settle()
    expect(conversation.state.get().sessionName).toBe('Lisbon')
    stored.messages.push({ ...emptyMessage, id: 'a1', role: 'assistant', content: 'Day' })
    sends[0]!.stream.push(2, chunk('Day'))
    sends[0]!.stream.push(3, complete)
    sends[0]!.stream.end()
    await settle()
    expect(conversation.state.get().sessionName).toBe('Days in Lisbon')
    expect(texts()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Day'],
    ])
  })

  it('stops following a stream that ends without a final event', async () => {
    const { conversation, follows, stored } = setUp()
    stored.messages = [{ ...emptyMessage, id: 'a1', role: 'assistant', streaming: true }]
    conversation.open('s1')
    await settle()
    follows[0]!.stream.end()
    await settle()
    expect(follows).toHaveLength(1)
    expect(conversation.state.get().activity).toBe('idle')
  })

  it('distinguishes a missing conversation from an unreachable server', async () => {
    const { conversation, loads } = setUp()
    loads.push(new ApiError(404, { code: 'not_found', detail: 'Not found.' }))
    conversation.open('s1')
    await settle()
    expect(conversation.state.get().status).toBe('missing')
    loads.push(new ApiError(0, { code: 'network', detail: 'Gone.' }))
    conversation.open('s1')
    await settle()
    expect(conversation.state.get().status).toBe('unreachable')
  })
})
