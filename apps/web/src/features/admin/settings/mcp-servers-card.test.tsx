// @vitest-environment happy-dom
import type { McpServerJson } from '@mira/shared'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { McpServersCard } from './mcp-servers-card.tsx'

const boxes: McpServerJson = {
  ...{ id: '0198d9a0-0000-7000-8000-000000000001', name: 'Boxes', transport: 'http', url: 'http://localhost:1/mcp' },
  ...{ command: null, arguments: [], has_key: true, header_names: [], enabled: true, audience: 'admins', user_ids: [] },
  check: { state: 'ok' },
  checked_at: '2026-11-20T10:00:00.000Z',
  tools: [
    { name: 'look', title: 'Look', description: 'Looks', read_only: true, rule: 'allow' },
    { name: 'move', title: 'Move', description: 'Moves', read_only: false, rule: 'ask' },
  ],
  tools_left_out: 0,
}
const open = (servers: McpServerJson[], stdio_allowed = false) => {
  route('GET /admin/mcp-servers').mockResolvedValue({ stdio_allowed, servers })
  return renderPart(
    <ConfirmProvider cancelLabel="Cancel">
      <McpServersCard owner="instance" />
    </ConfirmProvider>,
  )
}
// the settings tab loads these texts
beforeAll(() => loadTexts('mcp-servers', 'connections', 'errors'))
afterEach(() => vi.restoreAllMocks())

test('each tool shows the rule for its calls, which can be changed', async () => {
  const update = route('PATCH /admin/mcp-servers/:id').mockResolvedValue(boxes)
  const { user } = await open([boxes])
  await user.click(await screen.findByText('2 tools'))
  const move = screen.getByLabelText<HTMLSelectElement>('Rule for calls to Move')
  expect(move.value).toBe('ask')
  await user.selectOptions(move, 'Call without asking')
  expect(update).toHaveBeenCalledWith({ params: { id: boxes.id }, json: { tool_rules: { move: 'allow' } } })
})

test('tells how many tools are left out', async () => {
  await open([{ ...boxes, tools_left_out: 12 }])
  expect(await screen.findByText(/^12 tools are left out: the assistant gets at most 60 tools/)).toBeTruthy()
})

test('connects a server by its address and shows why it doesn’t respond', async () => {
  const failed: McpServerJson = {
    ...boxes,
    tools: [],
    check: { state: 'error', reason: 'Nobody is there.' },
  }
  const add = route('POST /admin/mcp-servers').mockResolvedValue(failed)
  const { user } = await open([])
  await user.click(await screen.findByRole('button', { name: 'Connect an MCP server' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.queryByLabelText('Type')).toBeNull()
  await user.type(dialog.getByLabelText('Name'), 'Boxes')
  await user.type(dialog.getByLabelText('Address'), 'http://localhost:1/mcp')
  await user.selectOptions(dialog.getByLabelText('Who can use its tools'), 'Everyone who can use agents')
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  expect(add).toHaveBeenCalledWith({
    json: { name: 'Boxes', url: 'http://localhost:1/mcp', audience: 'everyone', user_ids: [] },
  })
  expect(await screen.findByText('Nobody is there.')).toBeTruthy()
})

test('a user can connect a server of their own where that is allowed', async () => {
  const listOwn = route('GET /me/mcp-servers')
  const add = route('POST /me/mcp-servers').mockResolvedValue({ ...boxes, audience: 'chosen' })
  const card = (
    <ConfirmProvider cancelLabel="Cancel">
      <McpServersCard owner="person" />
    </ConfirmProvider>
  )
  listOwn.mockResolvedValue({ allowed: false, servers: [] })
  await renderPart(card)
  await waitFor(() => expect(document.body.textContent).not.toContain('MCP'))
  cleanup()
  listOwn.mockResolvedValue({ allowed: true, servers: [] })
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Connect an MCP server' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.queryByLabelText('Who can use its tools')).toBeNull()
  await user.type(dialog.getByLabelText('Name'), 'Boxes')
  await user.type(dialog.getByLabelText('Address'), 'https://example.org/mcp')
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  expect(add).toHaveBeenCalledWith({ json: { name: 'Boxes', url: 'https://example.org/mcp' } })
  expect(await screen.findByText('2 tools')).toBeTruthy()
})
