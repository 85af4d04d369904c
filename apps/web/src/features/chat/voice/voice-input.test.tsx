// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { startRecording } from './recorder.ts'
import { transcribe } from './speaker.ts'
import { VoiceInput } from './voice-input.tsx'

vi.mock('./recorder.ts', async (original) => ({ ...(await original<object>()), startRecording: vi.fn() }))
vi.mock('./speaker.ts', () => ({ transcribe: vi.fn() }))

const recording = { level: () => 0, finish: vi.fn(async () => new Blob()), cancel: vi.fn() }
let transcript = Promise.withResolvers<{ text: string }>()

beforeEach(() => {
  vi.clearAllMocks()
  transcript = Promise.withResolvers()
  vi.mocked(startRecording).mockResolvedValue(recording)
  vi.mocked(transcribe).mockReturnValue(transcript.promise as never)
  session.state.set({ status: 'signed-in', user: { id: 'me', role: 'user', can_use_voice: true } as MeJson })
})

/** Starts dictation in a conversation; `open` shows another conversation. */
async function dictateInto(onText: (text: string) => void) {
  await loadTexts('voice')
  route('GET /config').mockResolvedValue({ capabilities: { transcription: true } } as never)
  const field = { current: null }
  const voiceInput = (viewKey: string, onText: (text: string) => void) => (
    <ConfirmProvider cancelLabel="Cancel">
      <VoiceInput key={viewKey} field={field} onText={onText} />
    </ConfirmProvider>
  )
  const { user, rerender } = await renderPart(voiceInput('1', onText))
  screen.getByRole('button', { name: /^Speak/ }).focus()
  await user.keyboard('{Enter}')
  await screen.findByRole('button', { name: 'Done' })
  return {
    open: (onText: (text: string) => void) => rerender(voiceInput('2', onText)),
    finish: () => user.click(screen.getByRole('button', { name: 'Done' })),
    leave: () => rerender(<p>Another screen</p>),
  }
}

test('opening another conversation ends the recording, and its text goes to the original conversation', async () => {
  const [addToFirst, addToSecond] = [vi.fn(), vi.fn()]
  const { open } = await dictateInto(addToFirst)
  open(addToSecond)
  expect(recording.finish).toHaveBeenCalledOnce()
  expect(screen.queryByRole('button', { name: 'Done' })).toBeNull()
  transcript.resolve({ text: 'see you soon.' })
  await waitFor(() => expect(addToFirst).toHaveBeenCalledExactlyOnceWith('see you soon.'))
  expect(addToSecond).not.toHaveBeenCalled()
})

test('a pending transcript goes to the original conversation after another one is opened', async () => {
  const [addToFirst, addToSecond] = [vi.fn(), vi.fn()]
  const { finish, open } = await dictateInto(addToFirst)
  await finish()
  open(addToSecond)
  transcript.resolve({ text: 'see you soon.' })
  await waitFor(() => expect(addToFirst).toHaveBeenCalledExactlyOnceWith('see you soon.'))
  expect(addToSecond).not.toHaveBeenCalled()
})

test('the recording time doesn’t follow clock changes', async () => {
  await dictateInto(vi.fn())
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + 3_600_000)
  try {
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(screen.getByText(/^\d+:\d\d/).textContent).toMatch(/^0:0\d$/)
  } finally {
    vi.mocked(Date.now).mockRestore()
  }
})

test('a pending transcript is discarded after signing out', async () => {
  const onText = vi.fn()
  const { finish, leave } = await dictateInto(onText)
  await finish()
  leave()
  session.state.set({ status: 'signed-out', because: 'logout' })
  transcript.resolve({ text: 'see you soon.' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(onText).not.toHaveBeenCalled()
})

test('a pending transcript is discarded after another user signs in', async () => {
  const onText = vi.fn()
  const { finish, leave } = await dictateInto(onText)
  await finish()
  leave()
  session.state.set({ status: 'signed-in', user: { id: 'other', role: 'user', can_use_voice: true } as MeJson })
  transcript.resolve({ text: 'see you soon.' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(onText).not.toHaveBeenCalled()
})

test('signing out ends and discards the recording', async () => {
  const { leave } = await dictateInto(vi.fn())
  session.state.set({ status: 'signed-out', because: 'logout' })
  leave()
  expect(recording.cancel).toHaveBeenCalledOnce()
  expect(recording.finish).not.toHaveBeenCalled()
})

test('a pending microphone request is aborted when the conversation is left', async () => {
  await loadTexts('voice')
  route('GET /config').mockResolvedValue({ capabilities: { transcription: true } } as never)
  const onStart = vi.fn()
  vi.mocked(startRecording).mockImplementation(async (signal) => {
    onStart(signal)
    return new Promise(() => {})
  })
  const { user, rerender } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <VoiceInput field={{ current: null }} onText={vi.fn()} />
    </ConfirmProvider>,
  )
  screen.getByRole('button', { name: /^Speak/ }).focus()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(onStart).toHaveBeenCalled())
  rerender(<p>Another screen</p>)
  expect(onStart.mock.calls[0]?.[0].aborted).toBe(true)
})
