import type { ChatEvent } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../lib/api/client.ts'
import { chunk, complete, emptyMessage, sessionEvent, settle, setUp, setUpBranches } from './conversation.fixture.ts'

describe('a message', () => {
  it('is sent once even when send is called twice, and its answer is shown as it streams', async () => {
    const { conversation, sends, texts } = setUp()
    conversation.open(null)
    conversation.send(' Hello ')
    conversation.send('Hello')
    expect(sends).toHaveLength(1)
    expect(sends[0]!.message).toEqual({
      content: 'Hello',
      session_id: null,
      has_images: false,
      images: [],
      media_ids: [],
      client_id: 'c1',
      // null rather than absent: otherwise the server would use the user's preferred model
      model: null,
    })
    sends[0]!.stream.push(1, sessionEvent)
    sends[0]!.stream.push(2, chunk('Good '))
    sends[0]!.stream.push(3, chunk('day'))
    await settle()
    expect(texts()).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Good day'],
    ])
    expect(conversation.state.get().activity).toBe('answering')
    sends[0]!.stream.push(4, complete)
    sends[0]!.stream.end()
    await settle()
    expect(conversation.state.get()).toMatchObject({ activity: 'idle', sessionId: 's1', live: null })
  })

  it('is not sent when it is blank', () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send(' \n ')
    expect(sends).toEqual([])
  })

  it('is kept until the server has stored it', async () => {
    const { conversation, sends, unsentTexts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    expect(unsentTexts()).toEqual([[null, 'Hello']])
    sends[0]!.stream.push(1, sessionEvent)
    await settle()
    expect(unsentTexts()).toEqual([])
  })

  it('keeps its text when the server refuses it, and Retry sends the same message', async () => {
    const { conversation, sends, unsentTexts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.fail(429, 'Too many messages.')
    await settle()
    const { items } = conversation.state.get()
    expect(items.map(({ delivery, failure }) => [delivery, failure instanceof ApiError && failure.detail])).toEqual([
      ['failed', false],
      ['failed', 'Too many messages.'],
    ])
    expect(unsentTexts()).toEqual([[null, 'Hello']])
    conversation.retry('c1')
    expect(sends).toHaveLength(2)
    expect(sends[1]!.message).toEqual(sends[0]!.message)
    expect(conversation.state.get().items.map(({ delivery }) => delivery)).toEqual(['sending', 'sending'])
  })

  it('returns its text when it is withdrawn', async () => {
    const { conversation, sends, unsentTexts, texts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.fail(500, 'Broken.')
    await settle()
    expect(await conversation.withdraw('c1')).toEqual({ content: 'Hello', pictures: [], media: [], mentions: [] })
    expect(texts()).toEqual([])
    expect(unsentTexts()).toEqual([])
  })

  it('is retried once automatically, unchanged, when the connection is lost', async () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.disconnect()
    await settle()
    expect(sends).toHaveLength(2)
    expect(sends[1]!.message).toEqual(sends[0]!.message)
    expect(conversation.state.get().activity).toBe('reconnecting')
    sends[1]!.stream.disconnect()
    await settle()
    expect(sends).toHaveLength(2)
    expect(conversation.state.get().items[0]!.delivery).toBe('failed')
  })

  it('is still delivered when the user leaves before the server has it', async () => {
    const { conversation, sends, unsentTexts, texts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    conversation.open('s2')
    sends[0]!.stream.push(1, sessionEvent)
    sends[0]!.stream.push(2, chunk('Good day'))
    await settle()
    expect(unsentTexts()).toEqual([])
    expect(conversation.state.get()).toMatchObject({ sessionId: 's2', activity: 'idle' })
    expect(texts()).toEqual([])
  })

  it('hands the draft and other unsent messages to its new conversation once, even when the answer restarts', async () => {
    const { conversation, sends, adoptions } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.push(1, sessionEvent)
    sends[0]!.stream.push(2, chunk('Good day'))
    sends[0]!.stream.push(3, sessionEvent)
    await settle()
    expect(adoptions).toEqual(['s1'])
  })
})

describe('Stop', () => {
  it('notifies the server and waits for the end of the stream', async () => {
    const { conversation, sends, stops } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    sends[0]!.stream.push(1, sessionEvent)
    sends[0]!.stream.push(2, chunk('One'))
    await settle()
    await conversation.stop()
    expect(stops).toEqual(['s1'])
    expect(conversation.state.get().isStopping).toBe(true)
    sends[0]!.stream.push(3, { ...complete, interrupted: true } as ChatEvent)
    sends[0]!.stream.end()
    await settle()
    expect(conversation.state.get()).toMatchObject({ activity: 'idle', isStopping: false })
    expect(conversation.state.get().items[1]).toMatchObject({ content: 'One', interrupted: true })
  })

  it('stops a regenerated answer once it begins, and does nothing when it is refused', async () => {
    const { conversation, regenerations, stops } = await setUpBranches()
    const regenerated = conversation.regenerate('a2')
    const stopped = conversation.stop()
    await settle()
    expect(stops).toEqual([])
    regenerations[0]!.stream.push(1, { ...sessionEvent, user_message_id: 'u2', message_id: 'a3' } as ChatEvent)
    await stopped
    expect(stops).toEqual(['s1'])
    regenerations[0]!.stream.end()
    await regenerated
    await settle()

    const refused = conversation.regenerate('a2')
    const stoppedAgain = conversation.stop()
    regenerations[1]!.stream.fail(409, 'Another answer is being made.')
    await expect(refused).rejects.toThrow()
    await stoppedAgain
    expect([stops, conversation.state.get().isStopping]).toEqual([['s1'], false])
  })

  it('keeps a message as unsent when the server hasn’t taken it', async () => {
    const { conversation, sends, stops, texts, unsentTexts } = setUp()
    conversation.open(null)
    conversation.send('Hello')
    expect(sends).toHaveLength(1)
    await conversation.stop()
    await settle()
    expect(stops).toEqual([])
    expect(texts()).toEqual([['user', 'Hello']])
    expect(conversation.state.get()).toMatchObject({ activity: 'idle', isStopping: false })
    expect(unsentTexts()).toEqual([[null, 'Hello']])
  })
})

describe('an edited question', () => {
  it('replaces the original and has the same parent', async () => {
    const { conversation, sends, texts } = await setUpBranches()
    expect(conversation.send('Second, better', { replaces: 'u2' })).toBe(true)
    expect(sends[0]!.message).toMatchObject({ content: 'Second, better', session_id: 's1', parent_id: 'a1' })
    expect(texts()).toEqual([
      ['user', 'First'],
      ['assistant', 'One'],
      ['user', 'Second, better'],
      ['assistant', ''],
    ])
  })

  it('has no parent when it replaces the first message', async () => {
    const { conversation, sends, texts } = await setUpBranches()
    conversation.send('Anew', { replaces: 'u1' })
    expect(sends[0]!.message).toHaveProperty('parent_id', null)
    expect(texts()).toEqual([
      ['user', 'Anew'],
      ['assistant', ''],
    ])
  })

  it('keeps its place when it is retried after a failure', async () => {
    const { conversation, sends } = await setUpBranches()
    conversation.send('Second, better', { replaces: 'u2' })
    sends[0]!.stream.fail(500, 'Broken.')
    await settle()
    conversation.retry(conversation.state.get().items.find(({ delivery }) => delivery === 'failed')!.key)
    expect(sends[1]!.message).toMatchObject({ content: 'Second, better', parent_id: 'a1' })
  })
})

describe('images', () => {
  const cat = { name: 'cat.png', url: 'blob:cat', data: 'data:image/png;base64,AAAA' }

  it('are sent with the message and shown with it', () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send('Who is this?', { pictures: [cat] })
    expect(sends[0]!.message).toMatchObject({ content: 'Who is this?', has_images: true, images: [cat.data] })
    expect(conversation.state.get().items[0]!.images).toEqual([
      { name: 'cat.png', url: 'blob:cat', thumbnail: 'blob:cat' },
    ])
  })

  it('ask for a description when there is no text', () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    expect(conversation.send('  ', { pictures: [cat] })).toBe(true)
    expect(sends[0]!.message).toMatchObject({ content: 'Please describe these images.', has_images: true })
  })

  it('are returned when the message is withdrawn, without the default text', async () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send('', { pictures: [cat] })
    sends[0]!.stream.fail(503, 'Not now.')
    await settle()
    expect(await conversation.withdraw('c1')).toEqual({ content: '', pictures: [cat], media: [], mentions: [] })
  })

  it('of an unsent message are shown and sent after a reload', async () => {
    const { conversation, sends, reload } = setUp()
    conversation.open(null)
    conversation.send('Who is this?', { pictures: [cat] })
    sends[0]!.stream.fail(503, 'Not now.')
    await settle()
    const reloaded = reload()
    reloaded.open(null)
    await settle()
    expect(reloaded.state.get().items[0]).toMatchObject({ delivery: 'failed', images: [{ name: 'cat.png' }] })
    reloaded.retry('c1')
    await settle()
    expect(sends[1]!.message).toMatchObject({ client_id: 'c1', has_images: true, images: [cat.data] })
  })

  it('of an unsent message are waited for when it is retried right after a reload', async () => {
    const { conversation, sends, reload } = setUp()
    conversation.open(null)
    conversation.send('Who is this?', { pictures: [cat] })
    sends[0]!.stream.fail(503, 'Not now.')
    await settle()
    const reloaded = reload()
    reloaded.open(null)
    reloaded.retry('c1')
    await settle()
    expect(sends[1]!.message).toMatchObject({ images: [cat.data] })
  })

  it('are kept when the server has another message with the same text, until it has this one', async () => {
    const { conversation, sends, storedPictures, stored } = setUp()
    conversation.open('s1')
    await settle()
    conversation.send('', { pictures: [cat] })
    sends[0]!.stream.fail(503, 'Not now.')
    await settle()
    const text = 'Please describe these images.'
    stored.messages = [{ ...emptyMessage, id: 'u1', client_id: 'c0', content: text }]
    await conversation.refresh()
    expect(conversation.state.get().items.map(({ delivery }) => delivery)).toEqual(['stored', 'failed', 'failed'])
    expect([...storedPictures.keys()]).toEqual(['c1'])
    stored.messages.push({ ...emptyMessage, id: 'u2', client_id: 'c1', content: text })
    await conversation.refresh()
    expect(conversation.state.get().items.map(({ id }) => id)).toEqual(['u1', 'u2'])
    expect([...storedPictures.keys()]).toEqual([])
  })

  it('of a message that another tab is sending are kept when this tab reloads the conversation', async () => {
    const { conversation, storedPictures, reload, stored } = setUp()
    stored.messages = [{ ...emptyMessage, id: 'u1', content: 'Hello' }]
    const otherTab = reload()
    for (const tab of [conversation, otherTab]) tab.open('s1')
    await settle()
    otherTab.send('Who is this?', { pictures: [cat] })
    await conversation.refresh()
    expect([...storedPictures.keys()]).toEqual(['c1'])
  })

  it('are forgotten when the server has them', async () => {
    const { conversation, sends, storedPictures } = setUp()
    conversation.open(null)
    conversation.send('Who is this?', { pictures: [cat] })
    expect([...storedPictures.keys()]).toEqual(['c1'])
    sends[0]!.stream.push(1, sessionEvent)
    await settle()
    expect([...storedPictures.keys()]).toEqual([])
  })

  it('are sent again when a failed message is retried', async () => {
    const { conversation, sends } = setUp()
    conversation.open(null)
    conversation.send('Who is this?', { pictures: [cat] })
    sends[0]!.stream.fail(503, 'Not now.')
    await settle()
    conversation.retry(conversation.state.get().items[0]!.key)
    expect(sends[1]!.message).toMatchObject({ has_images: true, images: [cat.data] })
  })
})
