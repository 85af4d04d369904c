// @vitest-environment happy-dom
import type { ImportJson, PublicConfig } from '@mira/shared'
import { fireEvent, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { preparePartUploads } from '../../../lib/api/uploads.ts'
import { ConfirmProvider } from '../../../ui/confirm-dialog.tsx'
import { previewImport } from './import-queries.ts'
import { ImportsCard } from './imports-card.tsx'

vi.mock('../../../lib/api/uploads.ts', async (original) => ({
  ...(await original<object>()),
  preparePartUploads: vi.fn(),
}))
vi.mock('./import-queries.ts', async (original) => ({ ...(await original<object>()), previewImport: vi.fn() }))

const importPreview: ImportJson = {
  id: '0198c0de-0000-7000-8000-000000000000',
  source: 'chatgpt',
  name: 'export.zip',
  state: 'done',
  preview: true,
  has_file: false,
  reading: null,
  found: 12,
  ...{ size_bytes: null, earliest_at: null, latest_at: null },
  imported: 0,
  unsearched: 0,
  skipped: 2,
  completed: 0,
  failed: [],
  error: null,
  told: [],
  created_at: '2026-11-01T10:00:00.000Z',
  finished_at: '2026-11-01T10:00:01.000Z',
}
const card = (
  <ConfirmProvider cancelLabel="Cancel">
    <ImportsCard />
  </ConfirmProvider>
)
const list = (imports: ImportJson[]) => route('GET /imports').mockResolvedValue({ imports, next_cursor: null })

it('previews a file of the chosen source, and imports nothing automatically', async () => {
  list([])
  vi.mocked(previewImport).mockResolvedValue(importPreview)
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Import' }))
  await user.selectOptions(await screen.findByLabelText('Where it comes from'), 'Claude')
  await user.click(screen.getByRole('button', { name: 'Preview' }))
  expect(screen.getByText('Choose a file first.')).toBeTruthy()
  const file = new File(['{}'], 'data.zip', { type: 'application/zip' })
  expect(preparePartUploads).not.toHaveBeenCalled()
  await user.upload(screen.getByLabelText('File'), file)
  expect(preparePartUploads).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: 'Preview' }))
  await vi.waitFor(() => expect(previewImport).toHaveBeenCalledExactlyOnceWith('claude', file, expect.anything()))
  expect(route('POST /imports/:id/start')).not.toHaveBeenCalled()
})

it('shows how much of a preview is new, and imports it on a click', async () => {
  list([importPreview])
  route('POST /imports/:id/start').mockResolvedValue({ ...importPreview, preview: false, state: 'queued' })
  const { user } = await renderPart(card)
  expect(await screen.findByText('12 conversations found, 2 of them already here')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Import 10 conversations' }))
  await vi.waitFor(() =>
    expect(route('POST /imports/:id/start')).toHaveBeenCalledExactlyOnceWith({ params: { id: importPreview.id } }),
  )
})

it('shows existing files with missing details, and adds those on a click', async () => {
  const completed = { ...importPreview, source: 'takeout' as const, found: 2, skipped: 0, completed: 2 }
  list([completed])
  const { user } = await renderPart(card)
  expect(
    await screen.findByText('2 existing files are missing a date, place, description or album that this import has'),
  ).toBeTruthy()
  route('POST /imports/:id/start').mockResolvedValue({ ...completed, preview: false, state: 'queued' })
  list([{ ...completed, preview: false, skipped: 2 }])
  await user.click(screen.getByRole('button', { name: 'Add missing details' }))
  expect(await screen.findByText('2 existing files got their missing date, place, description or albums')).toBeTruthy()
})

it('says “at least” when a hundred entries were skipped', async () => {
  const failed = Array.from({ length: 100 }, (_, number) => ({ name: `${number}.psd`, reason: 'Not a picture.' }))
  list([{ ...importPreview, preview: false, failed: failed as ImportJson['failed'] }])
  await renderPart(card)
  expect(await screen.findByText('At least 100 entries were skipped')).toBeTruthy()
})

it('shows the progress of reading, importing and indexing in numbers', async () => {
  const running = { ...importPreview, preview: false, state: 'running' as const }
  list([
    { ...running, id: '1', found: 0, skipped: 0, reading: { bytes: 412 * 1024 ** 2, of_bytes: 2 * 1024 ** 3 } },
    { ...running, id: '2', found: 9800, imported: 1200, skipped: 0 },
    { ...importPreview, id: '3', preview: false, found: 9800, imported: 9800, skipped: 0, unsearched: 300 },
    { ...importPreview, id: '4', preview: false, imported: 10 },
  ])
  await renderPart(card)
  expect((await screen.findByRole('progressbar', { name: 'Reading the file' })).getAttribute('aria-valuenow')).toBe(
    '20.1171875',
  )
  expect(screen.getByText('412.0 MB of 2.0 GB')).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Importing conversations' })).toBeTruthy()
  expect(screen.getByText('1,200 of 9,800')).toBeTruthy()
  expect(screen.getByRole('progressbar', { name: 'Preparing them for search' })).toBeTruthy()
  expect(screen.getByText('9,500 of 9,800')).toBeTruthy()
  expect(screen.getAllByRole('progressbar')).toHaveLength(3)
})

it('undoes an import only after confirmation, and lists skipped entries', async () => {
  const failed = [{ name: 'tower.png', reason: 'It is no picture.', told: [] }]
  list([{ ...importPreview, preview: false, imported: 10, failed }])
  const { user } = await renderPart(card)
  expect(await screen.findByText('10 conversations imported, 2 were already here')).toBeTruthy()
  expect(screen.getByText('tower.png')).toBeTruthy()
  route('GET /config').mockResolvedValue({ trash: { days: 30 } } as PublicConfig)
  await user.click(screen.getByRole('button', { name: 'Undo the import of export.zip' }))
  expect(await screen.findByText(/10 imported conversations move to the trash.*for 30 days.*is emptied/)).toBeTruthy()
  expect(route('DELETE /imports/:id')).not.toHaveBeenCalled()
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await vi.waitFor(() =>
    expect(route('DELETE /imports/:id')).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ params: { id: importPreview.id } }),
    ),
  )
})

it('shows the progress of an undo, and offers no further action', async () => {
  list([{ ...importPreview, preview: false, state: 'undoing', found: 12, skipped: 2, imported: 4 }])
  await renderPart(card)
  const bar = await screen.findByRole('progressbar', { name: 'Undoing the import' })
  expect(bar.getAttribute('aria-valuenow')).toBe('60')
  expect(screen.getByText('4 left')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /export\.zip/ })).toBeNull()
})

it('offers the right source for a refused file without choosing the file again', async () => {
  const sentences = [
    { code: 'import_other_source', params: { source: 'chatgpt' } },
    { code: 'import_seems_of', params: { source: 'openwebui' } },
  ] as ImportJson['told']
  const refusedImport: ImportJson = {
    ...importPreview,
    state: 'failed',
    found: 0,
    error: 'This is no export of ChatGPT.',
    told: sentences,
  }
  list([{ ...refusedImport, has_file: true }])
  route('POST /imports/:id/source').mockResolvedValue({ ...importPreview, source: 'open-webui', state: 'queued' })
  const { user, rerender } = await renderPart(card)
  list([refusedImport])
  await user.click(await screen.findByRole('button', { name: 'Preview as Open WebUI' }))
  await vi.waitFor(() =>
    expect(route('POST /imports/:id/source')).toHaveBeenCalledExactlyOnceWith({
      params: { id: importPreview.id },
      json: { source: 'open-webui' },
    }),
  )
  // the server deletes the file after a day
  rerender(card)
  await vi.waitFor(() => expect(screen.queryByRole('button', { name: /Preview as/ })).toBeNull())
})

it('keeps chosen files when another source is picked, if it accepts them', async () => {
  list([])
  vi.mocked(previewImport).mockReset().mockResolvedValue(importPreview)
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Import' }))
  const file = new File(['{}'], 'data.zip', { type: 'application/zip' })
  await user.upload(await screen.findByLabelText('File'), file)
  await user.selectOptions(screen.getByLabelText('Where it comes from'), 'LibreChat')
  expect(screen.getByText(/^data\.zip/)).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('Where it comes from'), 'Apple (iCloud Photos)')
  await user.upload(screen.getByLabelText('File'), [file, new File(['{}'], 'more.zip', { type: 'application/zip' })])
  expect(screen.getByText(/^2 files/)).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('Where it comes from'), 'Google Photos (Takeout)')
  expect(screen.getByText(/^2 files/)).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('Where it comes from'), 'ChatGPT')
  expect(screen.queryByText(/^2 files/)).toBeNull()
  expect(screen.getByText('or drop them here')).toBeTruthy()
})

it('discards an import without results, without confirmation', async () => {
  list([{ ...importPreview, preview: false, state: 'failed', found: 0, error: 'This file is damaged.' }])
  route('DELETE /imports/:id').mockReset()
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Discard export.zip' }))
  await vi.waitFor(() =>
    expect(route('DELETE /imports/:id')).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ params: { id: importPreview.id } }),
    ),
  )
})

it('previews a server by its address and key, and shows size and dates of a preview', async () => {
  list([
    {
      ...{ ...importPreview, source: 'immich', name: 'https://photos.example.com', size_bytes: 4_200_000 },
      ...{ earliest_at: '2017-05-05T14:00:00.000Z', latest_at: '2021-07-01T08:00:00.000Z' },
    },
  ])
  route('POST /imports').mockResolvedValue(importPreview)
  const { user } = await renderPart(card)
  expect(await screen.findByText('4.0 MB · taken between May 5, 2017 and Jul 1, 2021')).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: 'Import' }))
  await user.selectOptions(await screen.findByLabelText('Where it comes from'), 'Immich (a server)')
  await user.click(screen.getByRole('button', { name: 'Preview' }))
  expect(screen.getByText('Enter the key.')).toBeTruthy()
  await user.type(screen.getByLabelText('Address of the server'), 'https://photos.example.com')
  await user.type(screen.getByLabelText('API key'), 'secret')
  await user.click(screen.getByRole('button', { name: 'Preview' }))
  const server = { source: 'immich', url: 'https://photos.example.com', key: 'secret' }
  await vi.waitFor(() =>
    expect(route('POST /imports')).toHaveBeenCalledExactlyOnceWith({ json: { ...server, preview: true } }),
  )
})

/** Fake `FileSystemEntry` of a dropped file or folder. */
const entryOf = (path: string, children?: object[]) => ({
  isDirectory: children !== undefined,
  name: path.split('/').at(-1),
  fullPath: path,
  file: (onFile: (file: File) => void) => onFile(new File([path], path.split('/').at(-1) ?? '')),
  createReader() {
    const batches = [children ?? [], []]
    return { readEntries: (onEntries: (entries: object[]) => void) => onEntries(batches.shift() ?? []) }
  },
})

it.each([
  [
    'folders with their contents',
    [
      entryOf('/Photos', [entryOf('/Photos/a', [entryOf('/Photos/a/b.jpg')]), entryOf('/Photos/.DS_Store')]),
      entryOf('/More', [entryOf('/More/c.jpg')]),
    ],
    'Photos.zip',
  ],
  ['a file', [entryOf('/export.zip')], 'export.zip'],
])('accepts %s dropped on the dialog', async (_, entries, name) => {
  list([])
  vi.mocked(previewImport).mockClear().mockResolvedValue(importPreview)
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Import' }))
  await user.selectOptions(await screen.findByLabelText('Where it comes from'), 'Apple (iCloud Photos)')
  const items = entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry }))
  fireEvent.drop(screen.getByRole('button', { name: 'Choose files' }), { dataTransfer: { items } })
  await vi.waitFor(() => expect(screen.queryByText('or drop them here')).toBeNull())
  await user.click(screen.getByRole('button', { name: 'Preview' }))
  await vi.waitFor(() => expect(previewImport).toHaveBeenCalledOnce())
  const [source, file] = vi.mocked(previewImport).mock.calls[0] ?? []
  expect([source, file?.name]).toEqual(['apple', name])
  if (name === 'Photos.zip') {
    const text = await file?.text()
    expect(text).toContain('Photos/a/b.jpg')
    expect(text).toContain('More/c.jpg')
    expect(text).not.toContain('DS_Store')
  }
})

it('keeps uploading a file until the user confirms to stop', async () => {
  list([])
  let stopped = false
  vi.mocked(previewImport)
    .mockReset()
    .mockImplementation((_source, _file, { signal }) => {
      signal?.addEventListener('abort', () => {
        stopped = true
      })
      return new Promise(() => {})
    })
  const { user } = await renderPart(card)
  await user.click(await screen.findByRole('button', { name: 'Import' }))
  await user.upload(await screen.findByLabelText('File'), new File(['{}'], 'data.zip', { type: 'application/zip' }))
  await user.click(screen.getByRole('button', { name: 'Preview' }))
  await user.keyboard('{Escape}')
  await screen.findByText('Stop sending this file?')
  await user.click(screen.getAllByRole('button', { name: 'Cancel' }).at(-1)!)
  expect(stopped).toBe(false)
  expect(screen.getByRole('progressbar')).toBeTruthy()
  await user.keyboard('{Escape}')
  await user.click(await screen.findByRole('button', { name: 'Stop' }))
  await vi.waitFor(() => expect(stopped).toBe(true))
})
