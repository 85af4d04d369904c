// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { route } from '../../test/routes.ts'
import { loadTexts } from '../lib/i18n/i18n.ts'
import { PaletteDialog } from './command-palette-dialog.tsx'
// preloaded: otherwise it loads on first use
import '../ui/dialog-panel.tsx'

vi.mock('../lib/session/session.ts', async (original) => ({
  ...(await original()),
  useUser: () => ({ role: 'user', can_chat: true }),
}))

it('offers only matching conversations while the results for the typed words load', async () => {
  await loadTexts('settings')
  const names = ['Boat trip', 'Lease of the flat']
  const items = names.map((session_name, index) => ({ id: `s${index}`, session_name, snippet_message_id: null }))
  route('GET /chat/sessions').mockResolvedValueOnce(Response.json(items) as never)
  const { user } = await renderPart(<PaletteDialog getTypedText={() => ''} onClose={() => {}} />)
  await screen.findByRole('option', { name: /Boat trip/ })
  route('GET /chat/sessions').mockImplementation(() => new Promise(() => {}))
  await user.type(screen.getByRole('combobox'), 'lease')
  expect(screen.queryByRole('option', { name: /Boat trip/ })).toBeNull()
  expect(screen.getByRole('option', { name: /Lease of the flat/ })).toBeTruthy()
})
