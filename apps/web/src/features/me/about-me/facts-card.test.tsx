// @vitest-environment happy-dom
import type { FactJson } from '@mira/shared'
import { act, screen, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { FactsCard } from './facts-card.tsx'

const card = (
  <ConfirmProvider cancelLabel="Cancel">
    <FactsCard />
  </ConfirmProvider>
)
const at = '2026-05-01T08:00:00.000Z'
const fact = (id: string, text: string, overrides: Partial<FactJson> = {}): FactJson => ({
  ...{ id, text, source: 'person', session: null, created_at: at, updated_at: at },
  ...overrides,
})
const mockFacts = (...facts: FactJson[]) =>
  route('GET /me/facts').mockResolvedValue({ facts, next_cursor: null, total: facts.length })

beforeEach(() => {
  vi.resetAllMocks()
  route('GET /me/instructions').mockResolvedValue({ about_me: '', how_to_answer: '', uses_facts: true })
  mockFacts()
})

it('shows the source of each fact, with a link to the conversation', async () => {
  mockFacts(
    fact('a', 'I live in Kiel.', { source: 'chat', session: { id: 's1', name: 'Moving house' } }),
    fact('b', 'I drink green tea.'),
    fact('c', 'I have a dog.', { source: 'My old assistant' }),
  )
  await renderPart(card)
  const [kiel, tea, dog] = await screen.findAllByRole('listitem')
  expect(
    within(kiel!)
      .getByRole('link', { name: /Moving house/ })
      .getAttribute('href'),
  ).toBe('/chat?session=s1')
  expect(tea!.textContent).toContain('Written by you')
  expect(dog!.textContent).toContain('My old assistant')
})

it('remembers a fact that the user enters', async () => {
  const { user } = await renderPart(card)
  expect(await screen.findByText('Nothing remembered yet')).toBeTruthy()
  route('POST /me/facts').mockImplementation(async ({ json }) => {
    const { text } = json as { text: string }
    mockFacts(fact('a', text))
    return fact('a', text)
  })
  await user.type(screen.getByRole('textbox', { name: 'Remember something' }), ' I drink green tea. {Enter}')
  expect(await screen.findByText('I drink green tea.')).toBeTruthy()
})

it('edits a fact in place', async () => {
  mockFacts(fact('a', 'I live in Bonn.'))
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Edit: I live in Bonn.' }))
  const field = screen.getByRole('textbox', { name: 'Remembered fact' })
  await user.clear(field)
  route('PATCH /me/facts/:id').mockImplementation(async ({ params, json }) => {
    const [id, { text }] = [params?.id ?? '', json as { text: string }]
    mockFacts(fact(id, text))
    return fact(id, text)
  })
  await user.type(field, 'I live in Kiel.{Enter}')
  expect(await screen.findByRole('button', { name: 'Edit: I live in Kiel.' })).toBeTruthy()
  expect(route('PATCH /me/facts/:id')).toHaveBeenCalledExactlyOnceWith({
    params: { id: 'a' },
    json: { text: 'I live in Kiel.' },
  })
})

it('stores that facts are no longer used when the switch is turned off', async () => {
  const { user } = await renderPart(card)
  const off = { about_me: '', how_to_answer: '', uses_facts: false }
  route('PATCH /me/instructions').mockResolvedValue(off)
  await vi.waitFor(() => expect(screen.getByRole<HTMLInputElement>('switch').checked).toBe(true))
  await user.click(screen.getByRole('switch'))
  expect(route('PATCH /me/instructions')).toHaveBeenCalledExactlyOnceWith({ json: { uses_facts: false } })
})

it('keeps the text of the next fact while one is being added', async () => {
  const pendingFact = Promise.withResolvers<FactJson>()
  route('POST /me/facts').mockReturnValue(pendingFact.promise)
  const { user } = await renderPart(card)
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Remember something' })
  await user.type(field, 'I drink green tea.{Enter}')
  await user.clear(field)
  await user.type(field, 'I live')
  await act(async () => pendingFact.resolve(fact('a', 'I drink green tea.')))
  expect(field.value).toBe('I live')
})

it('keeps a fact open for editing when an earlier edit, closed meanwhile, has been saved', async () => {
  mockFacts(fact('a', 'I live in Bonn.'))
  const pendingSave = Promise.withResolvers<FactJson>()
  route('PATCH /me/facts/:id').mockReturnValue(pendingSave.promise)
  const { user } = await renderPart(card)
  const edit = async () => user.click(await screen.findByRole('button', { name: 'Edit: I live in Bonn.' }))
  const field = () => screen.queryByRole('textbox', { name: 'Remembered fact' })
  await edit()
  await user.type(field()!, '!{Enter}')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await edit()
  const callsBefore = route('GET /me/facts').mock.calls.length
  await act(async () => pendingSave.resolve(fact('a', 'I live in Bonn.!')))
  await vi.waitFor(() => expect(route('GET /me/facts').mock.calls.length).toBeGreaterThan(callsBefore))
  await act(async () => {})
  expect(field()).toBeTruthy()
})
