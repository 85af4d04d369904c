// @vitest-environment happy-dom
import type { PersonaJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { personasQuery } from '../chat-queries.ts'
import { PersonaDialog } from './persona-dialog.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'me', role: 'admin' }),
}))

function Names() {
  return useQuery(personasQuery).data?.map(({ id, name }) => <p key={id}>{name}</p>)
}

it('lists a new persona whose sharing failed, and doesn’t create a second one when it is saved again', async () => {
  await loadTexts('personas', 'projects', 'errors')
  route('GET /models').mockResolvedValue([])
  const listed: PersonaJson[] = []
  route('GET /personas').mockImplementation(async () => ({ personas: listed, next_cursor: null }))
  const create = route('POST /personas').mockImplementation(async () => {
    listed.push({ id: 'p1', name: 'Cook' } as PersonaJson)
    return listed[0]!
  })
  const share = route('PATCH /admin/personas/:id').mockRejectedValueOnce(
    new ApiError(400, { code: 'http', detail: 'Not now.' }),
  )
  const onClose = vi.fn()
  const { user } = await renderPart(
    <>
      <Names />
      <PersonaDialog persona={null} onClose={onClose} />
    </>,
  )
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Cook')
  await user.click(screen.getByRole('switch', { name: /Share/ }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByRole('alert')).toBeTruthy()
  expect(await screen.findByText('Cook')).toBeTruthy()
  share.mockResolvedValue({ id: 'p1' } as PersonaJson)
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(create).toHaveBeenCalledOnce()
  expect(share).toHaveBeenLastCalledWith({ params: { id: 'p1' }, json: expect.objectContaining({ shared: true }) })
})
