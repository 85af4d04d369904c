// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { act, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../../lib/i18n/i18n.ts'
import { session } from '../../lib/session/session.ts'
import { EditableText } from './editable-text.tsx'

const text = (onSave: (text: string) => Promise<boolean>) => (
  <EditableText
    draftKey="caption.1"
    label="Caption"
    value="A ferry"
    isLocked={false}
    emptyText=""
    maxLength={100}
    onSave={onSave}
  />
)
const editButton = () => screen.getByRole('button', { name: /Edit/ })
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox')

beforeEach(() => {
  session.state.set({ status: 'signed-out', because: 'logout' })
  session.state.set({ status: 'signed-in', user: { id: 'me' } as MeJson })
  return loadTexts('gallery')
})

it('returns focus to its button once saved or cancelled', async () => {
  const { user } = await renderPart(text(async () => true))
  await user.click(editButton())
  await user.keyboard('{Escape}')
  await vi.waitFor(() => expect(document.activeElement).toBe(editButton()))
  await user.click(editButton())
  await user.type(field(), ' leaves')
  await user.keyboard('{Control>}{Enter}{/Control}')
  await vi.waitFor(() => expect(document.activeElement).toBe(editButton()))
})

it('is read-only while saving, and stays open when it is edited again meanwhile', async () => {
  const pendingSave = Promise.withResolvers<boolean>()
  const { user } = await renderPart(text(() => pendingSave.promise))
  await user.click(editButton())
  await user.type(field(), ' leaves')
  await user.keyboard('{Control>}{Enter}{/Control}')
  expect(field().readOnly).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await user.click(editButton())
  await user.type(field(), ' sinks')
  await act(async () => pendingSave.resolve(true))
  expect(field().value).toBe('A ferry sinks')
})

it('keeps the draft while another tab of the panel is open, until it is cancelled or the user signs out', async () => {
  const { user, rerender } = await renderPart(text(async () => true))
  const leaveAndReturn = () => {
    rerender(null)
    rerender(text(async () => true))
  }
  await user.click(editButton())
  await user.type(field(), ' leaves')
  leaveAndReturn()
  expect(field().value).toBe('A ferry leaves')
  await act(async () => session.state.set({ status: 'signed-out', because: 'expired' }))
  await act(async () => session.state.set({ status: 'signed-in', user: { id: 'me' } as MeJson }))
  leaveAndReturn()
  expect(field().value).toBe('A ferry leaves')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  leaveAndReturn()
  expect(screen.queryByRole('textbox')).toBeNull()
  await user.click(editButton())
  await user.type(field(), ' leaves')
  await act(async () => session.state.set({ status: 'signed-out', because: 'logout' }))
  await act(async () => session.state.set({ status: 'signed-in', user: { id: 'me' } as MeJson }))
  leaveAndReturn()
  expect(screen.queryByRole('textbox')).toBeNull()
})
