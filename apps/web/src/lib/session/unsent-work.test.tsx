// @vitest-environment happy-dom
import type { MeJson, NoteJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { ConfirmProvider } from '../../ui/confirm-dialog.tsx'
import { ApiError } from '../api/client.ts'
import { deleteMediaItems } from '../api/library.ts'
import { loadTexts } from '../i18n/i18n.ts'
import { forgetItemDrafts, useUnsavedDraft } from './kept-drafts.ts'
import { session } from './session.ts'
import { draftPrefix, NOTE_DRAFT_KEY, useSignOut } from './unsent-work.ts'

const KEY = `${NOTE_DRAFT_KEY}.n1`

beforeEach(() => {
  vi.restoreAllMocks()
  vi.stubGlobal('indexedDB', { databases: async () => [] })
  localStorage.clear()
  localStorage.setItem(KEY, '{}')
})

function SignOut() {
  const signOut = useSignOut()
  return (
    <button type="button" onClick={() => void signOut()}>
      Sign out
    </button>
  )
}

function Caption() {
  const { keep } = useUnsavedDraft<string>('caption.i1')
  return (
    <button type="button" onClick={() => keep('A ferry')}>
      Write
    </button>
  )
}

async function signOut() {
  await loadTexts('app')
  session.state.set({ status: 'signed-in', user: { id: 'me' } as MeJson })
  const logout = vi.spyOn(session, 'logout').mockResolvedValue()
  const { user } = await renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <SignOut />
    </ConfirmProvider>,
  )
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  return logout
}

it('asks for confirmation before changes of a note are lost', async () => {
  route('GET /notes/:id').mockResolvedValue({ id: 'n1' } as NoteJson)
  const logout = await signOut()
  expect(await screen.findByRole('alertdialog')).toBeTruthy()
  expect(logout).not.toHaveBeenCalled()
})

it('asks immediately, without a request, when an unsent message would be lost anyway', async () => {
  const read = route('GET /notes/:id')
  localStorage.setItem(`${draftPrefix('me')}new`, '{}')
  const logout = await signOut()
  expect(await screen.findByRole('alertdialog')).toBeTruthy()
  expect(read).not.toHaveBeenCalled()
  expect(logout).not.toHaveBeenCalled()
})

it('asks for confirmation, and keeps changes of a note, when the server is unavailable', async () => {
  route('GET /notes/:id').mockRejectedValue(new ApiError(503, { code: 'away', detail: 'Away.' }))
  const logout = await signOut()
  expect(await screen.findByRole('alertdialog')).toBeTruthy()
  expect(logout).not.toHaveBeenCalled()
  expect(localStorage.getItem(KEY)).not.toBeNull()
})

it('does not ask about changes of a note that was deleted elsewhere', async () => {
  route('GET /notes/:id').mockRejectedValue(new ApiError(404, { code: 'not_found', detail: 'Gone.' }))
  const logout = await signOut()
  await vi.waitFor(() => expect(logout).toHaveBeenCalled())
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

it('deletes the changes of a note that is deleted permanently', async () => {
  route('POST /media/delete').mockResolvedValue(undefined as never)
  await deleteMediaItems(['n1'])
  expect(localStorage.getItem(KEY)).toBeNull()
})

it('asks before unsaved changes are lost, unless their item was deleted', async () => {
  localStorage.clear()
  session.state.set({ status: 'signed-in', user: { id: 'me' } as MeJson })
  const { user } = await renderPart(<Caption />)
  await user.click(screen.getByRole('button', { name: 'Write' }))
  const logout = await signOut()
  expect(await screen.findByRole('alertdialog')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  forgetItemDrafts(['i1'])
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  await vi.waitFor(() => expect(logout).toHaveBeenCalledOnce())
})
