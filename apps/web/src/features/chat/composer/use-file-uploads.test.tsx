// @vitest-environment happy-dom
import type { AttachedMedia, MediaDetailJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { uploadFile } from '../../../lib/api/uploads.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { UploadingFiles } from './composer.tsx'
import { useFileUploads } from './use-file-uploads.ts'

vi.mock('../../../lib/api/uploads.ts')
vi.mock('../../../ui/show-toast.ts')
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => ({ role: 'user', can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }),
}))

const lease = new File(['x'], 'lease.pdf')
const itemWith = (status: string) =>
  ({
    id: 'm1',
    media_type: 'document',
    thumbnail: null,
    processing_status: status,
    metadata: { original_filename: 'lease.pdf' },
    error: 'This PDF is locked.',
  }) as unknown as MediaDetailJson
const add = vi.fn<(items: readonly AttachedMedia[]) => void>()

function FileUploads() {
  const attached = { media: [], add, remove: () => {}, clear: () => {} }
  const files = useFileUploads({ viewKey: '0', attached, isOff: false })
  return (
    <>
      <button type="button" onClick={() => files.add([lease])}>
        give
      </button>
      <UploadingFiles uploads={files.uploads} isSentAutomatically={false} onLeave={files.cancel} />
    </>
  )
}

beforeEach(() => {
  vi.resetAllMocks()
  vi.mocked(uploadFile).mockResolvedValue({ item: itemWith('processing'), isDuplicate: false })
})

it('attaches a file to the message once it has been read', async () => {
  route('GET /media/:id').mockResolvedValueOnce(itemWith('processing')).mockResolvedValue(itemWith('completed'))
  const { user } = await renderPart(<FileUploads />)
  await user.click(screen.getByRole('button', { name: 'give' }))
  expect(await screen.findByText('lease.pdf')).toBeTruthy()
  expect(add).not.toHaveBeenCalled()
  await vi.waitFor(() => expect(add).toHaveBeenCalledOnce(), { timeout: 5_000 })
  expect(add.mock.calls[0]?.[0]).toMatchObject([{ media_id: 'm1', title: 'lease.pdf' }])
  await vi.waitFor(() => expect(screen.queryByText('lease.pdf')).toBeNull())
})

it('keeps waiting for a file while the server is unreachable', async () => {
  route('GET /media/:id')
    .mockRejectedValueOnce(new ApiError(502, { code: 'http', detail: 'The server restarts.' }))
    .mockResolvedValue(itemWith('completed'))
  const { user } = await renderPart(<FileUploads />)
  await user.click(screen.getByRole('button', { name: 'give' }))
  await vi.waitFor(() => expect(add).toHaveBeenCalledOnce(), { timeout: 5_000 })
})

/** Simulates that half an hour has passed since the last poll. */
function passHalfAnHour() {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 31 * 60_000)
}

it('gives up on a file after half an hour and shows an error', async () => {
  await loadTexts('chat')
  route('GET /media/:id').mockResolvedValue(itemWith('processing'))
  try {
    const { user } = await renderPart(<FileUploads />)
    await user.click(screen.getByRole('button', { name: 'give' }))
    await vi.waitFor(() => expect(route('GET /media/:id')).toHaveBeenCalledOnce())
    passHalfAnHour()
    await vi.waitFor(() => expect(screen.queryByText('lease.pdf')).toBeNull(), { timeout: 10_000 })
    expect(add).not.toHaveBeenCalled()
    expect(showToast).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ tone: 'danger' }))
  } finally {
    vi.restoreAllMocks()
  }
})

it('waits just as long for a file when the clock is changed', async () => {
  route('GET /media/:id')
    .mockResolvedValueOnce(itemWith('processing'))
    .mockResolvedValueOnce(itemWith('processing'))
    .mockResolvedValue(itemWith('completed'))
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { user } = await renderPart(<FileUploads />)
    await user.click(screen.getByRole('button', { name: 'give' }))
    await vi.waitFor(() => expect(route('GET /media/:id')).toHaveBeenCalledOnce())
    vi.setSystemTime(Date.now() + 31 * 60_000)
    await vi.waitFor(() => expect(add).toHaveBeenCalledOnce(), { timeout: 10_000 })
  } finally {
    vi.useRealTimers()
  }
})

it('still attaches a file when the server was unreachable until the deadline', async () => {
  const unreachable = new ApiError(502, { code: 'http', detail: 'The server restarts.' })
  route('GET /media/:id')
    .mockRejectedValueOnce(unreachable)
    .mockRejectedValueOnce(unreachable)
    .mockResolvedValue(itemWith('completed'))
  try {
    const { user } = await renderPart(<FileUploads />)
    await user.click(screen.getByRole('button', { name: 'give' }))
    await vi.waitFor(() => expect(route('GET /media/:id')).toHaveBeenCalledOnce())
    passHalfAnHour()
    await vi.waitFor(() => expect(add).toHaveBeenCalledOnce(), { timeout: 10_000 })
  } finally {
    vi.restoreAllMocks()
  }
})

it('doesn’t attach a file that can’t be read', async () => {
  route('GET /media/:id').mockResolvedValue(itemWith('failed'))
  const { user } = await renderPart(<FileUploads />)
  await user.click(screen.getByRole('button', { name: 'give' }))
  await vi.waitFor(() => expect(screen.queryByText('lease.pdf')).toBeNull())
  expect(add).not.toHaveBeenCalled()
})

it('says that a folder, or a file that has gone, can’t be read, and doesn’t send it', async () => {
  await loadTexts('chat')
  const unreadable = new Blob()
  vi.spyOn(unreadable, 'arrayBuffer').mockRejectedValue(new DOMException('gone', 'NotFoundError'))
  vi.spyOn(lease, 'slice').mockReturnValueOnce(unreadable)
  const { user } = await renderPart(<FileUploads />)
  await user.click(screen.getByRole('button', { name: 'give' }))
  await vi.waitFor(() => expect(showToast).toHaveBeenCalledOnce())
  expect(showToast).toHaveBeenCalledWith(
    expect.objectContaining({ tone: 'danger', description: expect.stringContaining('it’s a folder') }),
  )
  expect(uploadFile).not.toHaveBeenCalled()
  await vi.waitFor(() => expect(screen.queryByText('lease.pdf')).toBeNull())
})

it('stops waiting for a file that the user removes', async () => {
  route('GET /media/:id').mockResolvedValue(itemWith('processing'))
  const { user } = await renderPart(<FileUploads />)
  await user.click(screen.getByRole('button', { name: 'give' }))
  await user.click(await screen.findByRole('button', { name: /lease\.pdf/ }))
  expect(screen.queryByText('lease.pdf')).toBeNull()
  expect(add).not.toHaveBeenCalled()
})
