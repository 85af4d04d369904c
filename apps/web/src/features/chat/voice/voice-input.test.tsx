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

/** The composer's button, as of a conversation; `open` shows another conversation. */
async function dictateInto(onText: (text: string) => void) {
  await loadTexts('voice')
  route('GET /config').mockResolvedValue({ capabilities: { transcription: true } } as never)
  const field = { current: null }
  const part = (viewKey: string, onText: (text: string) => void) => (
    <ConfirmProvider cancelLabel="Cancel">
      <VoiceInput key={viewKey} field={field} onText={onText} />
    </ConfirmProvider>
  )
  const { user, show } = await renderPart(part('1', onText))
  screen.getByRole('button', { name: /^Speak/ }).focus()
  await user.keyboard('{Enter}')
  await screen.findByRole('button', { name: 'Done' })
  return {
    open: (onText: (text: string) => void) => show(part('2', onText)),
    finish: () => user.click(screen.getByRole('button', { name: 'Done' })),
    leave: () => show(<p>Another screen</p>),
  }
}

test('opening another conversation ends the recording; what was said lands where it was said', async () => {
  const [addToFirst, addToSecond] = [vi.fn(), vi.fn()]
  const { open } = await dictateInto(addToFirst)
  open(addToSecond)
  expect(recording.finish).toHaveBeenCalledOnce()
  expect(screen.queryByRole('button', { name: 'Done' })).toBeNull()
  transcript.resolve({ text: 'see you soon.' })
  await waitFor(() => expect(addToFirst).toHaveBeenCalledExactlyOnceWith('see you soon.'))
  expect(addToSecond).not.toHaveBeenCalled()
})

test('what is being written down lands where it was said after another conversation was opened', async () => {
  const [addToFirst, addToSecond] = [vi.fn(), vi.fn()]
  const { finish, open } = await dictateInto(addToFirst)
  await finish()
  open(addToSecond)
  transcript.resolve({ text: 'see you soon.' })
  await waitFor(() => expect(addToFirst).toHaveBeenCalledExactlyOnceWith('see you soon.'))
  expect(addToSecond).not.toHaveBeenCalled()
})

test('how long one has spoken does not follow a clock that is set', async () => {
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

test('what is being written down is forgotten after signing out', async () => {
  const onText = vi.fn()
  const { finish, leave } = await dictateInto(onText)
  await finish()
  leave()
  session.state.set({ status: 'signed-out', because: 'logout' })
  transcript.resolve({ text: 'see you soon.' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(onText).not.toHaveBeenCalled()
})

test('what is being written down is forgotten after somebody else has signed in', async () => {
  const onText = vi.fn()
  const { finish, leave } = await dictateInto(onText)
  await finish()
  leave()
  session.state.set({ status: 'signed-in', user: { id: 'other', role: 'user', can_use_voice: true } as MeJson })
  transcript.resolve({ text: 'see you soon.' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(onText).not.toHaveBeenCalled()
})

test('signing out ends the recording and forgets it', async () => {
  const { leave } = await dictateInto(vi.fn())
  session.state.set({ status: 'signed-out', because: 'logout' })
  leave()
  expect(recording.cancel).toHaveBeenCalledOnce()
  expect(recording.finish).not.toHaveBeenCalled()
})

test('a microphone that opens after the conversation was left is closed', async () => {
  await loadTexts('voice')
  route('GET /config').mockResolvedValue({ capabilities: { transcription: true } } as never)
  const opened = vi.fn()
  vi.mocked(startRecording).mockImplementation(async (signal) => {
    opened(signal)
    return new Promise(() => {})
  })
  const { user, show } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <VoiceInput field={{ current: null }} onText={vi.fn()} />
    </ConfirmProvider>,
  )
  screen.getByRole('button', { name: /^Speak/ }).focus()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(opened).toHaveBeenCalled())
  show(<p>Another screen</p>)
  expect(opened.mock.calls[0]?.[0].aborted).toBe(true)
})
