// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { defaultSettings, settingsStore } from '../../../lib/session/settings.ts'
import { noFiles, noMedia, noPictures, TestComposer } from './composer.fixture.tsx'

// a user with all permissions
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }),
}))
// writing doesn't depend on a microphone
vi.mock('../voice/voice-input.tsx', () => ({ VoiceInput: () => null }))

it('sends on Enter, and inserts a new line on Shift+Enter', async () => {
  const onSend = vi.fn()
  const { user } = await renderPart(<TestComposer onSend={onSend} />)
  const field = screen.getByRole<HTMLTextAreaElement>('textbox')
  await user.type(field, 'Hello{Shift>}{Enter}{/Shift}harbour')
  expect(field.value).toBe('Hello\nharbour')
  expect(onSend).not.toHaveBeenCalled()
  await user.type(field, '{Enter}')
  expect(onSend).toHaveBeenCalledOnce()
})

it('inserts a new line on Enter when that doesn’t send, as on a phone, and sends with the button or Ctrl+Enter', async () => {
  settingsStore.set({ ...defaultSettings, enterSends: false })
  try {
    const onSend = vi.fn()
    const { user } = await renderPart(<TestComposer onSend={onSend} />)
    const field = screen.getByRole<HTMLTextAreaElement>('textbox')
    await user.type(field, 'Hello{Enter}harbour')
    expect(field.value).toBe('Hello\nharbour')
    expect(field.getAttribute('enterkeyhint')).toBe('enter')
    expect(onSend).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await user.type(field, '{Control>}{Enter}{/Control}')
    expect(onSend).toHaveBeenCalledTimes(2)
  } finally {
    settingsStore.set({ ...defaultSettings })
  }
})

it('doesn’t send a blank message', async () => {
  const onSend = vi.fn()
  const { user } = await renderPart(<TestComposer onSend={onSend} />)
  await user.type(screen.getByRole('textbox'), '   {Enter}')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /send/i }).disabled).toBe(true)
  expect(onSend).not.toHaveBeenCalled()
})

it('doesn’t send while an item is still being attached', async () => {
  const onSend = vi.fn()
  const { user } = await renderPart(<TestComposer onSend={onSend} isAttaching />)
  await user.type(screen.getByRole('textbox'), 'What is in it?{Enter}')
  expect(onSend).not.toHaveBeenCalled()
})

it('can stop the answer while it is generated, and accepts the next message', async () => {
  const [onStop, onSend] = [vi.fn(), vi.fn()]
  const { user } = await renderPart(<TestComposer activity="answering" onStop={onStop} onSend={onSend} />)
  expect(screen.queryByRole('button', { name: /send/i })).toBeNull()
  await user.type(screen.getByRole('textbox'), 'And the harbour?')
  await user.click(screen.getByRole('button', { name: 'Send when the answer is finished' }))
  expect(onSend).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: /stop/i }))
  expect(onStop).toHaveBeenCalledOnce()
})

it('doesn’t send before an added file has been read', async () => {
  const onSend = vi.fn()
  const uploads = [{ key: 'a', name: 'lease.pdf', progress: 100 }]
  const { user } = await renderPart(<TestComposer onSend={onSend} files={{ ...noFiles, uploads }} />)
  expect(screen.getByText('lease.pdf')).toBeTruthy()
  await user.type(screen.getByRole('textbox'), 'When does it end?{Enter}')
  expect(onSend).not.toHaveBeenCalled()
})

it.each([
  ['is sent automatically once its file has been read', true, '', 1],
  ['isn’t sent when its file isn’t attached', false, '', 0],
  ['isn’t sent when it was edited meanwhile', true, ' And why', 0],
])('a message submitted before its file has been read %s', async (_, isAttached, addition, times) => {
  const onSend = vi.fn()
  const uploads = [{ key: 'a', name: 'lease.pdf', progress: 100 }]
  const lease = { media_id: 'a', title: 'lease.pdf', media_type: 'document', thumbnail: null, url: null } as const
  const attached = { ...noMedia, media: isAttached ? [lease] : [] }
  const { user, rerender } = await renderPart(<TestComposer onSend={onSend} files={{ ...noFiles, uploads }} />)
  await user.type(screen.getByRole('textbox'), 'When does it end?{Enter}')
  expect(screen.getByText('Will be sent once they’ve been read.')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true)
  if (addition) await user.type(screen.getByRole('textbox'), addition)
  expect(onSend).not.toHaveBeenCalled()
  rerender(<TestComposer onSend={onSend} attached={attached} />)
  expect(onSend).toHaveBeenCalledTimes(times)
})

it('adds dropped images to the message and uploads other files', async () => {
  const [add, addPictures] = [vi.fn(), vi.fn()]
  const { user } = await renderPart(
    <TestComposer files={{ ...noFiles, add }} pictures={{ ...noPictures, add: addPictures }} />,
  )
  const [cat, lease] = [new File(['x'], 'cat.png', { type: 'image/png' }), new File(['x'], 'lease.pdf')]
  await user.click(screen.getByRole('textbox'))
  const dataTransfer = { files: [cat, lease], types: ['Files'] }
  fireEvent.drop(screen.getByRole('textbox'), { dataTransfer })
  expect([add.mock.calls, addPictures.mock.calls]).toEqual([[[[lease]]], [[[cat]]]])
})
