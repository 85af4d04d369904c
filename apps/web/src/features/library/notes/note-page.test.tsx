// @vitest-environment happy-dom
import type { MediaItemJson, NoteJson } from '@mira/shared'
import { act, fireEvent, screen } from '@testing-library/react'
import { Link, Route, Routes, useLocation } from 'react-router-dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { claimBrowser, clearUserData } from '../../../lib/browser/browser-data.ts'
import { writeStored } from '../../../lib/browser/browser-storage.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { newNotePath } from '../../../lib/session/paths.ts'
import { NOTE_DRAFT_KEY } from '../../../lib/session/unsent-work.ts'
import { NotePage } from './note-page.tsx'

vi.mock('../../../lib/browser/browser-storage.ts', { spy: true })
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original()),
  useUser: () => ({ id: 'me' }),
}))

const PASTED = 'Milk and bread\nfor Sunday'

function State() {
  return <output>{JSON.stringify(useLocation().state)}</output>
}

async function pasteOnce() {
  await loadTexts('notes', 'errors')
  const { user } = await renderPart(
    <>
      <Link to={newNotePath} state={{ text: PASTED }}>
        Paste
      </Link>
      <State />
      <Routes>
        <Route path={newNotePath} element={<NotePage />} />
        <Route path="*" element={null} />
      </Routes>
    </>,
  )
  const paste = () => act(() => user.click(screen.getByRole('link', { name: 'Paste' })))
  await paste()
  return { paste, text: () => screen.getByLabelText<HTMLTextAreaElement>('Text').value }
}

const title = () => screen.getByLabelText<HTMLInputElement>('Title').value
const stored = () => JSON.parse(localStorage.getItem(NOTE_DRAFT_KEY) ?? 'null') as unknown

beforeEach(async () => {
  writeStored(NOTE_DRAFT_KEY, null)
  await claimBrowser('me')
})

it('stores pasted text as the draft, and clears it from the navigation state', async () => {
  const { text } = await pasteOnce()
  expect(title()).toBe('Milk and bread')
  expect(text()).toBe(PASTED)
  expect(stored()).toEqual({ user: 'me', title: 'Milk and bread', text: PASTED })
  // the navigation state, which the browser keeps across reloads
  expect(screen.getByRole('status').textContent).toBe('null')
})

it('appends pasted text to an unsaved draft, each time', async () => {
  writeStored(NOTE_DRAFT_KEY, JSON.stringify({ user: 'me', title: 'Boiler', text: 'The valve drips.\n' }))
  const { paste, text } = await pasteOnce()
  expect(title()).toBe('Boiler')
  expect(text()).toBe(`The valve drips.\n\n${PASTED}`)
  await paste()
  expect(text()).toBe(`The valve drips.\n\n${PASTED}\n\n${PASTED}`)
  expect(stored()).toMatchObject({ text: text() })
})

function Path() {
  return <output>{useLocation().pathname}</output>
}

it('doesn’t navigate a user who left while the note was being saved, and keeps their new draft', async () => {
  await loadTexts('notes', 'errors')
  const pendingSave = Promise.withResolvers<MediaItemJson>()
  route('POST /notes').mockReturnValue(pendingSave.promise)
  const { user } = await renderPart(
    <>
      <Link to={newNotePath}>Write</Link>
      <Link to="/chat">Chat</Link>
      <Path />
      <Routes>
        <Route path={newNotePath} element={<NotePage />} />
        <Route path="*" element={null} />
      </Routes>
    </>,
  )
  const goTo = (name: string) => act(() => user.click(screen.getByRole('link', { name })))
  await goTo('Write')
  await user.type(screen.getByLabelText('Text'), 'Milk')
  await user.click(screen.getByRole('button', { name: 'Save note' }))
  await goTo('Chat')
  await goTo('Write')
  await user.clear(screen.getByLabelText('Text'))
  await user.type(screen.getByLabelText('Text'), 'Eggs')
  await act(async () => pendingSave.resolve({ id: 'milk' } as MediaItemJson))
  expect(screen.getByRole('status').textContent).toBe(newNotePath)
  await vi.waitFor(() => expect(stored()).toMatchObject({ text: 'Eggs' }))
})

describe('changes of a note', () => {
  const note = { id: 'n1', title: 'Boiler', text: 'The valve drips.' } as NoteJson
  const field = () => screen.findByLabelText<HTMLTextAreaElement>('Text')

  beforeEach(() => writeStored(`${NOTE_DRAFT_KEY}.n1`, null))

  async function edit() {
    await loadTexts('notes', 'errors')
    route('GET /notes/:id').mockResolvedValue(note)
    const { user } = await renderPart(
      <>
        <Link to="/notes/n1">Edit</Link>
        <Link to="/chat">Chat</Link>
        <Routes>
          <Route path="/notes/:id" element={<NotePage />} />
          <Route path="*" element={null} />
        </Routes>
      </>,
    )
    const goTo = (name: string) => act(() => user.click(screen.getByRole('link', { name })))
    await goTo('Edit')
    return { user, goTo }
  }

  it('are restored after another screen, until they are discarded', async () => {
    const { user, goTo } = await edit()
    await user.type(await field(), ' Call Ann.')
    await goTo('Chat')
    await goTo('Edit')
    expect((await field()).value).toBe('The valve drips. Call Ann.')
    expect(screen.getByText('These changes aren’t saved yet.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Discard changes' }))
    expect((await field()).value).toBe('The valve drips.')
    expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).toBeNull()
  })

  it('are stored once per burst of typing, without the original text', async () => {
    const { goTo } = await edit()
    const box = await field()
    vi.mocked(writeStored).mockClear()
    for (const value of ['A', 'An', 'Ann']) fireEvent.change(box, { target: { value } })
    await goTo('Chat')
    expect(writeStored).toHaveBeenCalledExactlyOnceWith(`${NOTE_DRAFT_KEY}.n1`, expect.stringContaining('Ann'))
    expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).not.toContain(note.text)
  })

  it('do not come back when the user signs out right after typing', async () => {
    const { user, goTo } = await edit()
    await user.type(await field(), ' Call Ann.')
    vi.stubGlobal('indexedDB', { databases: async () => [] })
    await clearUserData()
    await goTo('Chat')
    expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).toBeNull()
    vi.unstubAllGlobals()
  })

  it('survive another screen when the browser’s storage is full', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const { user, goTo } = await edit()
    await user.type(await field(), ' Call Ann.')
    await goTo('Chat')
    await goTo('Edit')
    const throwQuotaError = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    const getItem = localStorage.getItem.bind(localStorage)
    vi.stubGlobal('localStorage', { getItem, setItem: throwQuotaError })
    await user.type(await field(), ' Or Bob.')
    await goTo('Chat')
    await goTo('Edit')
    expect((await field()).value).toBe('The valve drips. Call Ann. Or Bob.')
    vi.unstubAllGlobals()
  })

  it('are removed when they are saved right after typing', async () => {
    const { user } = await edit()
    await user.type(await field(), ' Call Ann.')
    await vi.waitFor(() => expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).not.toBeNull())
    route('PATCH /notes/:id').mockResolvedValue({ id: 'n1' } as MediaItemJson)
    await user.type(await field(), ' Soon.{Control>}{Enter}{/Control}')
    await vi.waitFor(() => expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).toBeNull())
  })

  it('are removed once they are saved or cancelled', async () => {
    const { user, goTo } = await edit()
    await user.type(await field(), ' Call Ann.')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await goTo('Edit')
    expect((await field()).value).toBe('The valve drips.')
    await user.type(await field(), ' Call Bob.')
    await vi.waitFor(() => expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).not.toBeNull())
    route('PATCH /notes/:id').mockResolvedValue({ id: 'n1' } as MediaItemJson)
    await user.click(screen.getByRole('button', { name: 'Save note' }))
    await vi.waitFor(() => expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).toBeNull())
  })

  async function changedElsewhere() {
    const { user, goTo } = await edit()
    await user.type(await field(), ' Call Ann.')
    await goTo('Chat')
    route('GET /notes/:id').mockResolvedValue({ ...note, text: 'The valve is new.' })
    await goTo('Edit')
    expect((await field()).value).toBe('The valve is new.')
    return { user, goTo }
  }

  it('are offered instead of overwriting a newer text when the note was changed elsewhere', async () => {
    const { user, goTo } = await changedElsewhere()
    await user.type(await field(), ' Paid.')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await goTo('Edit')
    expect((await field()).value).toBe('The valve is new.')
    await user.click(screen.getByRole('button', { name: 'Show my changes' }))
    await user.type(await field(), ' Paid.')
    await goTo('Chat')
    await goTo('Edit')
    expect((await field()).value).toBe('The valve drips. Call Ann. Paid.')
    expect(screen.getByText('These changes aren’t saved yet.')).toBeTruthy()
  })

  it('are offered beside the newer text when the note was changed elsewhere before they were saved', async () => {
    const { user } = await edit()
    await user.type(await field(), ' Call Ann.')
    route('GET /notes/:id').mockResolvedValue({ ...note, text: 'The valve is new.', sha256: 'new' })
    route('PATCH /notes/:id').mockRejectedValue(new ApiError(409, { code: 'note_changed', detail: 'Changed.' }))
    await user.click(screen.getByRole('button', { name: 'Save note' }))
    await vi.waitFor(async () => expect((await field()).value).toBe('The valve is new.'))
    await user.click(screen.getByRole('button', { name: 'Show my changes' }))
    expect((await field()).value).toBe('The valve drips. Call Ann.')
    route('PATCH /notes/:id').mockResolvedValue({ id: 'n1' } as MediaItemJson)
    await user.click(screen.getByRole('button', { name: 'Save note' }))
    expect(route('PATCH /notes/:id').mock.lastCall).toMatchObject([{ json: { based_on: 'new' } }])
  })

  it('leave the newer text for editing once they are discarded', async () => {
    const { user } = await changedElsewhere()
    await user.click(screen.getByRole('button', { name: 'Discard changes' }))
    expect(localStorage.getItem(`${NOTE_DRAFT_KEY}.n1`)).toBeNull()
    await user.type(await field(), ' Paid.')
    expect((await field()).value).toBe('The valve is new. Paid.')
  })

  it('are restored when only something else about the note has changed', async () => {
    const { user, goTo } = await edit()
    await user.type(await field(), ' Call Ann.')
    await goTo('Chat')
    route('GET /notes/:id').mockResolvedValue({ ...note, updated_at: '2030-05-01T08:00:00.000Z' })
    await goTo('Edit')
    expect((await field()).value).toBe('The valve drips. Call Ann.')
  })

  it('are restored when they were stored with the original text', async () => {
    const base = { title: note.title, text: note.text }
    const draft = { user: 'me', title: note.title, text: 'The valve drips. Call Ann.', base }
    writeStored(`${NOTE_DRAFT_KEY}.n1`, JSON.stringify(draft))
    await edit()
    expect((await field()).value).toBe('The valve drips. Call Ann.')
  })
})
