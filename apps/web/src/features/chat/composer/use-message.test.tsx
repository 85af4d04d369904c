// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { session } from '../../../lib/session/session.ts'
import { createDrafts, createPictureStore } from '../conversation/drafts.ts'
import { type ComposedMessage, useMessage } from './use-message.ts'

const owner = { userId: 'u1', mayStore: () => false }
const storage = { read: () => null, write: () => undefined }
const drafts = createDrafts({ ...owner, storage, pictures: createPictureStore(owner) })
let message: ComposedMessage

function Draft({ sessionId }: { sessionId: string }) {
  const address: Parameters<typeof useMessage>[0]['address'] = [new URLSearchParams(), () => undefined]
  message = useMessage({ drafts, sessionId, viewKey: sessionId, isTemporary: false, address })
  return <p>{message.draft}</p>
}

test('text added after another conversation was opened goes to the draft of the first one', async () => {
  session.state.set({ status: 'signed-in', user: { id: 'u1', role: 'user' } as MeJson })
  drafts.write('first', 'Dear Ann, ')
  drafts.write('second', 'Dear Bob,')
  const { rerender } = await renderPart(<Draft sessionId="first" />)
  const { addToDraft } = message
  rerender(<Draft sessionId="second" />)
  act(() => addToDraft('see you soon.'))
  expect(screen.getByText('Dear Bob,')).toBeTruthy()
  rerender(<Draft sessionId="first" />)
  expect(screen.getByText('Dear Ann, see you soon.')).toBeTruthy()
})
