// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { defaultSettings, settingsStore } from '../../../lib/session/settings.ts'
import { ComposerAlone, noFiles, noMedia, noPictures } from './composer.fixture.tsx'

// a person who may do everything
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }),
}))
// whether there is a microphone is not about writing
vi.mock('../voice/voice-input.tsx', () => ({ VoiceInput: () => null }))

it('sends with Enter, and makes a new line with Shift and Enter', async () => {
  const onSend = vi.fn()
  const { user } = await renderPart(<ComposerAlone onSend={onSend} />)
  const field = screen.getByRole<HTMLTextAreaElement>('textbox')
  await user.type(field, 'Hello{Shift>}{Enter}{/Shift}harbour')
  expect(field.value).toBe('Hello\nharbour')
  expect(onSend).not.toHaveBeenCalled()
  await user.type(field, '{Enter}')
  expect(onSend).toHaveBeenCalledOnce()
})

it('begins a new line with Enter on a phone, and sends with the button or with Ctrl and Enter', async () => {
  settingsStore.set({ ...defaultSettings, enterSends: false })
  try {
    const onSend = vi.fn()
    const { user } = await renderPart(<ComposerAlone onSend={onSend} />)
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

it('sends nothing while there is nothing to send', async () => {
  const onSend = vi.fn()
  const { user } = await renderPart(<ComposerAlone onSend={onSend} />)
  await user.type(screen.getByRole('textbox'), '   {Enter}')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /send/i }).disabled).toBe(true)
  expect(onSend).not.toHaveBeenCalled()
})

it('does not leave without an item that is still on its way to it', async () => {
  const onSend = vi.fn()
  const { user } = await renderPart(<ComposerAlone onSend={onSend} isAttaching />)
  await user.type(screen.getByRole('textbox'), 'What is in it?{Enter}')
  expect(onSend).not.toHaveBeenCalled()
})

it('stops the answer while one is made, and takes what comes next', async () => {
  const [onStop, onSend] = [vi.fn(), vi.fn()]
  const { user } = await renderPart(<ComposerAlone activity="answering" onStop={onStop} onSend={onSend} />)
  expect(screen.queryByRole('button', { name: /send/i })).toBeNull()
  await user.type(screen.getByRole('textbox'), 'And the harbour?')
  await user.click(screen.getByRole('button', { name: 'Send when the answer is finished' }))
  expect(onSend).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: /stop/i }))
  expect(onStop).toHaveBeenCalledOnce()
})

it('does not leave before a file that was given with it is read', async () => {
  const onSend = vi.fn()
  const uploads = [{ key: 'a', name: 'lease.pdf', progress: 100 }]
  const { user } = await renderPart(<ComposerAlone onSend={onSend} files={{ ...noFiles, uploads }} />)
  expect(screen.getByText('lease.pdf')).toBeTruthy()
  await user.type(screen.getByRole('textbox'), 'When does it end?{Enter}')
  expect(onSend).not.toHaveBeenCalled()
})

it.each([
  ['leaves by itself once its file is read', true, '', 1],
  ['stays when its file does not go with it', false, '', 0],
  ['stays when it was changed meanwhile', true, ' And why', 0],
])('a message that was to be sent too early %s', async (_, goesAlong, more, times) => {
  const onSend = vi.fn()
  const uploads = [{ key: 'a', name: 'lease.pdf', progress: 100 }]
  const lease = { media_id: 'a', title: 'lease.pdf', media_type: 'document', thumbnail: null, url: null } as const
  const read = { ...noMedia, media: goesAlong ? [lease] : [] }
  const { user, show } = await renderPart(<ComposerAlone onSend={onSend} files={{ ...noFiles, uploads }} />)
  await user.type(screen.getByRole('textbox'), 'When does it end?{Enter}')
  expect(screen.getByText('Will be sent once they’ve been read.')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true)
  if (more) await user.type(screen.getByRole('textbox'), more)
  expect(onSend).not.toHaveBeenCalled()
  show(<ComposerAlone onSend={onSend} attached={read} />)
  expect(onSend).toHaveBeenCalledTimes(times)
})

it('takes pictures for the model and all else for the memory', async () => {
  const [add, addPictures] = [vi.fn(), vi.fn()]
  const { user } = await renderPart(
    <ComposerAlone files={{ ...noFiles, add }} pictures={{ ...noPictures, add: addPictures }} />,
  )
  const [cat, lease] = [new File(['x'], 'cat.png', { type: 'image/png' }), new File(['x'], 'lease.pdf')]
  await user.click(screen.getByRole('textbox'))
  const dataTransfer = { files: [cat, lease], types: ['Files'] }
  fireEvent.drop(screen.getByRole('textbox'), { dataTransfer })
  expect([add.mock.calls, addPictures.mock.calls]).toEqual([[[[lease]]], [[[cat]]]])
})
