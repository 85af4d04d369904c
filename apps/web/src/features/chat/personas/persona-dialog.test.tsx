// @vitest-environment happy-dom
import type { PersonaJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { PersonaDialog } from './persona-dialog.tsx'

vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ id: 'me', role: 'admin' }),
}))

it('makes no second persona when sharing the new one failed and it is saved again', async () => {
  await loadTexts('personas', 'projects', 'errors')
  route('GET /models').mockResolvedValue([])
  const create = route('POST /personas').mockResolvedValue({ id: 'p1' } as PersonaJson)
  const share = route('PATCH /admin/personas/:id').mockRejectedValueOnce(
    new ApiError(400, { code: 'http', detail: 'Not now.' }),
  )
  const onClose = vi.fn()
  const { user } = await renderPart(<PersonaDialog persona={null} onClose={onClose} />)
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Cook')
  await user.click(screen.getByRole('switch', { name: /Share/ }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByRole('alert')).toBeTruthy()
  share.mockResolvedValue({ id: 'p1' } as PersonaJson)
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(create).toHaveBeenCalledOnce()
  expect(share).toHaveBeenLastCalledWith({ params: { id: 'p1' }, json: expect.objectContaining({ shared: true }) })
})
