// @vitest-environment happy-dom
import type { Instructions, MeJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { AboutMe } from './about-me.tsx'
import { instructionsQuery } from './facts-card.tsx'

vi.mock('./facts-card.tsx', async (original) => ({ ...(await original()), FactsCard: () => null }))

const instructions: Instructions = { about_me: 'A baker.', how_to_answer: 'Briefly.', uses_facts: true }
let reload: () => Promise<void>

function Refresh() {
  const queryClient = useQueryClient()
  reload = () => queryClient.invalidateQueries({ queryKey: instructionsQuery.queryKey })
  return null
}

const show = () =>
  renderPart(
    <>
      <AboutMe />
      <Refresh />
    </>,
  )
const fields = () => screen.getAllByRole<HTMLTextAreaElement>('textbox')
const values = () => fields().map(({ value }) => value)

beforeEach(async () => {
  session.state.set({ status: 'signed-out', because: 'logout' })
  session.state.set({ status: 'signed-in', user: { id: 'me' } as MeJson })
  await loadTexts('about-me')
  route('GET /me/instructions').mockResolvedValue(instructions)
})

it('shows changes saved on another device, and sends only the fields changed here', async () => {
  const { user } = await show()
  await vi.waitFor(() => expect(values()).toEqual(['A baker.', 'Briefly.']))
  route('GET /me/instructions').mockResolvedValue({ ...instructions, about_me: 'A cook.' })
  await act(() => reload())
  await vi.waitFor(() => expect(values()).toEqual(['A cook.', 'Briefly.']))
  expect(screen.getByRole<HTMLButtonElement>('button').disabled).toBe(true)
  const save = route('PATCH /me/instructions')
  await user.type(fields()[1]!, ' Kindly.')
  await user.click(screen.getByRole('button'))
  expect(save).toHaveBeenCalledExactlyOnceWith({ json: { how_to_answer: 'Briefly. Kindly.' } })
})

it('keeps the shown values when reloading fails', async () => {
  await show()
  await vi.waitFor(() => expect(values()).toEqual(['A baker.', 'Briefly.']))
  route('GET /me/instructions').mockRejectedValue(new ApiError(400, { code: 'http', detail: 'Out of order.' }))
  await act(async () => {
    await reload()
    // The query reports the error one task later.
    await new Promise((resolve) => setTimeout(resolve))
  })
  expect(values()).toEqual(['A baker.', 'Briefly.'])
  expect(screen.queryByRole('alert')).toBeNull()
})

it('keeps text typed while a change is being saved', async () => {
  const pendingSave = Promise.withResolvers<Instructions>()
  route('PATCH /me/instructions').mockReturnValue(pendingSave.promise)
  const { user } = await show()
  await vi.waitFor(() => expect(values()).toEqual(['A baker.', 'Briefly.']))
  await user.type(fields()[0]!, ' In Kiel.')
  await user.click(screen.getByRole('button'))
  await user.type(fields()[0]!, ' I like rye.')
  await act(async () => pendingSave.resolve({ ...instructions, about_me: 'A baker. In Kiel.' }))
  expect(values()).toEqual(['A baker. In Kiel. I like rye.', 'Briefly.'])
})
