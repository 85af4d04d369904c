// @vitest-environment happy-dom
import type { MeJson } from '@mira/shared'
import { act, cleanup, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { claimBrowser } from '../../../lib/browser/browser-data.ts'
import { readStored } from '../../../lib/browser/browser-storage.ts'
import { session } from '../../../lib/session/session.ts'
import { settingsStore } from '../../../lib/session/settings.ts'
import { unsentPictures } from '../../../lib/session/unsent-work.ts'
import { createDrafts, createPictureStore, type Drafts } from '../conversation/drafts.ts'
import { type ComposedMessage, useDrafts, useMessage } from './use-message.ts'

const owner = { userId: 'u1', mayStore: () => false }
const storage = { read: () => null, write: () => undefined }
const drafts = createDrafts({ ...owner, storage, pictures: createPictureStore(owner) })
let message: ComposedMessage

function Draft({ sessionId }: { sessionId: string }) {
  const searchParams: Parameters<typeof useMessage>[0]['searchParams'] = [new URLSearchParams(), () => undefined]
  message = useMessage({ drafts, sessionId, viewKey: sessionId, isTemporary: false, searchParams })
  return <p>{message.draft}</p>
}

test('text added after another conversation was opened goes to the draft of the first one', async () => {
  vi.spyOn(unsentPictures, 'use').mockResolvedValue(undefined)
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

let screenDrafts: Drafts

function ChatScreen({ isTemporary = false }) {
  screenDrafts = useDrafts({ isTemporary })
  return null
}

test('without Auto Save, drafts outlive the chat screen until their user signs out, except in temporary chats', async () => {
  vi.spyOn(unsentPictures, 'use').mockResolvedValue(undefined)
  settingsStore.set({ ...settingsStore.get(), autoSave: false })
  const me = { id: 'u1', role: 'user' } as MeJson
  session.state.set({ status: 'signed-in', user: me })
  const { rerender } = await renderPart(<ChatScreen key="1" />)
  const visit = (isTemporary = false): Drafts => {
    rerender(<p>The gallery</p>)
    rerender(<ChatScreen isTemporary={isTemporary} />)
    return screenDrafts
  }
  const contents = async ({ read, pictures }: Drafts) => [read(null), await pictures.read(null)]
  const cat = { name: 'cat.png', url: 'blob:cat', data: 'data:image/png;base64,AAAA' }
  screenDrafts.write(null, 'Dear Ann,')
  screenDrafts.pictures.write(null, [cat])
  expect(await contents(visit())).toEqual(['Dear Ann,', [cat]])

  visit(true).write(null, 'Just between us')
  expect(await contents(visit(true))).toEqual(['', []])

  rerender(<p>Signed out</p>)
  session.state.set({ status: 'signed-out', because: 'logout' })
  session.state.set({ status: 'signed-in', user: me })
  expect(await contents(visit())).toEqual(['', []])
})

/** Opens the chat screen as a user of this browser who has turned Auto Save off, with a draft and a picture. */
async function writeWithoutAutoSave(userId: string) {
  const records: unknown[] = []
  const hooks = { whileOpening: async (): Promise<unknown> => undefined }
  const store = {
    put: (_value: unknown, key: unknown) => records.push(key),
    delete: () => undefined,
    get: () => undefined,
    openCursor: () => ({}),
  }
  vi.spyOn(unsentPictures, 'use').mockImplementation(async (_mode, makeRequest) => {
    await hooks.whileOpening()
    return makeRequest(store as never) as never
  })
  vi.stubGlobal('indexedDB', { databases: async () => [] })
  settingsStore.set({ ...settingsStore.get(), autoSave: false })
  await claimBrowser(userId)
  session.state.set({ status: 'signed-in', user: { id: userId, role: 'user' } as MeJson })
  await renderPart(<ChatScreen />)
  screenDrafts.write('s1', 'Dear Ann,')
  screenDrafts.pictures.write('s1', [{ name: 'cat.png', url: 'blob:cat', data: 'data:image/png;base64,AAAA' }])
  await screenDrafts.pictures.read('s1')
  expect([readStored(`chat.draft.${userId}.s1`), records]).toEqual([null, []])
  return { drafts: screenDrafts, records, hooks }
}
const setAutoSave = (autoSave: boolean) => settingsStore.set({ ...settingsStore.get(), autoSave })

test('drafts written without Auto Save are stored in this browser once it’s on', async () => {
  const { drafts, records } = await writeWithoutAutoSave('u2')
  setAutoSave(true)
  await drafts.pictures.read('s1')
  expect(readStored('chat.draft.u2.s1')).toContain('Dear Ann,')
  expect(records).toEqual(['u2/draft/s1'])
})

test.each([
  ['before Auto Save is on', true],
  ['while a picture is being stored', false],
])('drafts aren’t stored once another user has signed in to this browser: %s', async (_when, isBefore) => {
  const { drafts, records, hooks } = await writeWithoutAutoSave('u3')
  cleanup()
  const signInElsewhere = async () => {
    session.state.set({ status: 'signed-out', because: 'expired' })
    await claimBrowser('u4')
  }
  if (isBefore) await signInElsewhere()
  else hooks.whileOpening = signInElsewhere
  setAutoSave(true)
  await drafts.pictures.read('s1')
  drafts.write('s2', 'Dear Bob,')
  expect(Object.keys(localStorage).filter((key) => key.startsWith('chat.draft.u3'))).toEqual([])
  expect(records).toEqual([])
})

test('drafts written after the session expired are stored, also those of a moment in which nothing could be', async () => {
  const { drafts } = await writeWithoutAutoSave('u5')
  cleanup()
  session.state.set({ status: 'signed-out', because: 'expired' })
  setAutoSave(true)
  drafts.write('s2', 'Dear Bob,')
  expect(readStored('chat.draft.u5.s2')).toContain('Dear Bob,')
  session.state.set({ status: 'loading' })
  drafts.write('s2', 'Dear Bob, hello')
  expect(readStored('chat.draft.u5.s2')).toContain('"Dear Bob,"')
  session.state.set({ status: 'signed-in', user: { id: 'u5', role: 'user' } as MeJson })
  expect(readStored('chat.draft.u5.s1')).toContain('Dear Ann,')
  expect(readStored('chat.draft.u5.s2')).toContain('Dear Bob, hello')
})
