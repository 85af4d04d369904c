// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { act, screen, waitFor } from '@testing-library/react'
import { createRef } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { uploadFile } from '../../../lib/api/uploads.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { currentToasts } from '../../../ui/show-toast.ts'
import { startRecording } from './recorder.ts'
import { transcribe } from './speaker.ts'
import { UnsentRecordingsPanel } from './unsent-recordings-panel.tsx'
import { VoiceInput } from './voice-input.tsx'

vi.mock('./recorder.ts', async (original) => ({ ...(await original<object>()), startRecording: vi.fn() }))
vi.mock('./speaker.ts', () => ({ transcribe: vi.fn() }))
vi.mock('../../../lib/api/uploads.ts', () => ({ uploadFile: vi.fn() }))

const recording = { level: () => 0, finish: vi.fn(async () => new Blob()), cancel: vi.fn() }
let transcript = Promise.withResolvers<{ text: string }>()

beforeEach(() => {
  vi.clearAllMocks()
  transcript = Promise.withResolvers()
  vi.mocked(startRecording).mockResolvedValue(recording)
  vi.mocked(transcribe).mockReturnValue(transcript.promise as never)
  const user = { id: 'me', role: 'user', can_use_voice: true, can_upload: true } as MeJson
  session.state.set({ status: 'signed-in', user })
})

/** Starts dictation in a conversation; `open` shows another conversation. */
async function dictateInto(onText: (text: string) => void) {
  await loadTexts('voice')
  route('GET /config').mockResolvedValue({ capabilities: { transcription: true } } as never)
  const field = createRef<HTMLTextAreaElement>()
  const voiceInput = (viewKey: string, onText: (text: string) => void) => (
    <ConfirmProvider cancelLabel="Cancel">
      <UnsentRecordingsPanel key={`recordings-${viewKey}`} field={field} onText={onText} />
      <textarea ref={field} aria-label="Message" />
      <VoiceInput key={viewKey} field={field} onText={onText} />
    </ConfirmProvider>
  )
  const { user, rerender } = await renderPart(voiceInput('1', onText))
  screen.getByRole('button', { name: /^Speak/ }).focus()
  await user.keyboard('{Enter}')
  await screen.findByRole('button', { name: 'Done' })
  return {
    open: (onText: (text: string) => void) => rerender(voiceInput('2', onText)),
    rerender: (onText: (text: string) => void) => rerender(voiceInput('1', onText)),
    user,
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

test('a recording whose transcription failed is kept and can be transcribed again', async () => {
  const onText = vi.fn()
  const { user, finish } = await dictateInto(onText)
  await finish()
  transcript.reject(new ApiError(0, { code: 'network', detail: 'No connection.' }))
  const again = await screen.findByRole<HTMLButtonElement>('button', { name: 'Transcribe' })
  transcript = Promise.withResolvers()
  vi.mocked(transcribe).mockReturnValueOnce(transcript.promise as never)
  await user.click(again)
  expect(again.disabled).toBe(true)
  expect(screen.getByText('Transcribing…')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('listitem'))
  transcript.reject(new ApiError(0, { code: 'network', detail: 'No connection.' }))
  await waitFor(() => expect(document.activeElement).toBe(again))
  vi.mocked(transcribe).mockResolvedValue({ text: 'see you soon.' } as never)
  await user.click(again)
  await waitFor(() => expect(onText).toHaveBeenCalledExactlyOnceWith('see you soon.'))
  expect(screen.queryByRole('button', { name: 'Transcribe' })).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Message')))
})

/** Fails to transcribe a recording, and starts to transcribe it again. */
async function retryTranscription(onText: (text: string) => void) {
  const dictation = await dictateInto(onText)
  await dictation.finish()
  transcript.reject(new ApiError(0, { code: 'network', detail: 'No connection.' }))
  const again = await screen.findByRole('button', { name: 'Transcribe' })
  transcript = Promise.withResolvers()
  vi.mocked(transcribe).mockReturnValueOnce(transcript.promise as never)
  await dictation.user.click(again)
  return dictation
}

test('the text of a second attempt goes to its conversation as it is then', async () => {
  const [addToNew, addToFirst, addToSecond] = [vi.fn(), vi.fn(), vi.fn()]
  const { rerender, open } = await retryTranscription(addToNew)
  rerender(addToFirst)
  open(addToSecond)
  transcript.resolve({ text: 'see you soon.' })
  await waitFor(() => expect(addToFirst).toHaveBeenCalledExactlyOnceWith('see you soon.'))
  expect([addToNew.mock.calls, addToSecond.mock.calls]).toEqual([[], []])
})

test('the text of a second attempt is discarded after signing out', async () => {
  const onText = vi.fn()
  const { leave } = await retryTranscription(onText)
  leave()
  session.state.set({ status: 'signed-out', because: 'logout' })
  transcript.resolve({ text: 'see you soon.' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(onText).not.toHaveBeenCalled()
})

test('a voice note whose upload failed is kept and can be saved again', async () => {
  vi.mocked(uploadFile).mockRejectedValueOnce(new ApiError(0, { code: 'network', detail: 'No connection.' }))
  const { user } = await dictateInto(vi.fn())
  await user.click(screen.getByRole('button', { name: 'Save to your memory as a voice note' }))
  await user.click(await screen.findByRole('button', { name: 'Save as a voice note' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Save as a voice note' })).toBeNull())
  const files = vi.mocked(uploadFile).mock.calls.map(([file]) => file.name)
  expect(files).toEqual([files[0], files[0]])
})

test('a discarded recording is gone, until that is undone', async () => {
  const { user, finish } = await dictateInto(vi.fn())
  await finish()
  transcript.reject(new ApiError(0, { code: 'network', detail: 'No connection.' }))
  await user.click(await screen.findByRole('button', { name: /^Discard/ }))
  expect(screen.queryByRole('button', { name: 'Transcribe' })).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Message')))
  const toast = currentToasts().at(-1)
  expect(toast?.title).toBe('Recording discarded')
  act(() => toast?.action?.onSelect())
  expect(screen.getByRole('button', { name: 'Transcribe' })).toBeTruthy()
})

test('releasing the held button before the microphone opens cancels the recording', async () => {
  await loadTexts('voice')
  route('GET /config').mockResolvedValue({ capabilities: { transcription: true } } as never)
  const onStart = vi.fn()
  vi.mocked(startRecording).mockImplementation(async (signal) => {
    onStart(signal)
    return new Promise(() => {})
  })
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <VoiceInput field={{ current: null }} onText={vi.fn()} />
    </ConfirmProvider>,
  )
  await user.pointer({ keys: '[MouseLeft>]', target: screen.getByRole('button', { name: /^Speak/ }) })
  await waitFor(() => expect(onStart).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve, 500))
  await user.pointer('[/MouseLeft]')
  expect(onStart.mock.calls[0]?.[0].aborted).toBe(true)
  expect(screen.queryByRole('group', { name: 'Dictation' })).toBeNull()
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
