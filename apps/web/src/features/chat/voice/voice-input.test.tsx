// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { VoiceInput } from './voice-input.tsx'

const texts: ((text: string) => void)[] = []
vi.mock('./use-dictation.ts', () => ({
  useDictation: ({ onText }: { onText: (text: string) => void }) => {
    texts.push(onText)
    return { state: { step: 'idle' } }
  },
}))
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', can_use_voice: true }),
}))

it('adds what was said to the message of the conversation that is shown by then, and changes no other', async () => {
  await loadTexts('voice')
  route('GET /config')
  const field = { current: null }
  const [changeFirst, changeSecond] = [vi.fn(), vi.fn()]
  const part = (draft: string, onDraftChange: (draft: string) => void) => (
    <ConfirmProvider cancelLabel="Cancel">
      <VoiceInput field={field} draft={draft} onDraftChange={onDraftChange} />
    </ConfirmProvider>
  )
  const { show } = await renderPart(part('Dear Ann,', changeFirst))
  const write = texts.at(-1)!
  show(part('Dear Bob,', changeSecond))
  act(() => write('see you soon.'))
  expect(changeFirst).not.toHaveBeenCalled()
  expect(changeSecond).toHaveBeenCalledExactlyOnceWith('Dear Bob, see you soon.')
})
