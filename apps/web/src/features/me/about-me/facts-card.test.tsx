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
const fact = (id: string, text: string, more: Partial<FactJson> = {}): FactJson => ({
  ...{ id, text, source: 'person', session: null, created_at: at, updated_at: at },
  ...more,
})
const isKnown = (...facts: FactJson[]) =>
  route('GET /me/facts').mockResolvedValue({ facts, next_cursor: null, total: facts.length })

beforeEach(() => {
  vi.resetAllMocks()
  route('GET /me/instructions').mockResolvedValue({ about_me: '', how_to_answer: '', uses_facts: true })
  isKnown()
})

it('says where each fact comes from, and leads to the conversation', async () => {
  isKnown(
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

it('has what is written remembered', async () => {
  const { user } = await renderPart(card)
  expect(await screen.findByText('Nothing remembered yet')).toBeTruthy()
  route('POST /me/facts').mockImplementation(async ({ json }) => {
    const { text } = json as { text: string }
    isKnown(fact('a', text))
    return fact('a', text)
  })
  await user.type(screen.getByRole('textbox', { name: 'Remember something' }), ' I drink green tea. {Enter}')
  expect(await screen.findByText('I drink green tea.')).toBeTruthy()
})

it('changes a fact in its place', async () => {
  isKnown(fact('a', 'I live in Bonn.'))
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Edit: I live in Bonn.' }))
  const field = screen.getByRole('textbox', { name: 'Remembered fact' })
  await user.clear(field)
  route('PATCH /me/facts/:id').mockImplementation(async ({ params, json }) => {
    const [id, { text }] = [params?.id ?? '', json as { text: string }]
    isKnown(fact(id, text))
    return fact(id, text)
  })
  await user.type(field, 'I live in Kiel.{Enter}')
  expect(await screen.findByRole('button', { name: 'Edit: I live in Kiel.' })).toBeTruthy()
  expect(route('PATCH /me/facts/:id')).toHaveBeenCalledExactlyOnceWith({
    params: { id: 'a' },
    json: { text: 'I live in Kiel.' },
  })
})

it('is not used once that is switched off', async () => {
  const { user } = await renderPart(card)
  const off = { about_me: '', how_to_answer: '', uses_facts: false }
  route('PATCH /me/instructions').mockResolvedValue(off)
  await vi.waitFor(() => expect(screen.getByRole<HTMLInputElement>('switch').checked).toBe(true))
  await user.click(screen.getByRole('switch'))
  expect(route('PATCH /me/instructions')).toHaveBeenCalledExactlyOnceWith({ json: { uses_facts: false } })
})

it('keeps the next fact that is begun while one is being added', async () => {
  const added = Promise.withResolvers<FactJson>()
  route('POST /me/facts').mockReturnValue(added.promise)
  const { user } = await renderPart(card)
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Remember something' })
  await user.type(field, 'I drink green tea.{Enter}')
  await user.clear(field)
  await user.type(field, 'I live')
  await act(async () => added.resolve(fact('a', 'I drink green tea.')))
  expect(field.value).toBe('I live')
})

it('leaves a fact that is edited again open when the change before, closed meanwhile, is saved', async () => {
  isKnown(fact('a', 'I live in Bonn.'))
  const saved = Promise.withResolvers<FactJson>()
  route('PATCH /me/facts/:id').mockReturnValue(saved.promise)
  const { user } = await renderPart(card)
  const edit = async () => user.click(await screen.findByRole('button', { name: 'Edit: I live in Bonn.' }))
  const field = () => screen.queryByRole('textbox', { name: 'Remembered fact' })
  await edit()
  await user.type(field()!, '!{Enter}')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  await edit()
  const readBefore = route('GET /me/facts').mock.calls.length
  await act(async () => saved.resolve(fact('a', 'I live in Bonn.!')))
  await vi.waitFor(() => expect(route('GET /me/facts').mock.calls.length).toBeGreaterThan(readBefore))
  await act(async () => {})
  expect(field()).toBeTruthy()
})
