// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { newEntry, ProcessingFailure, type QueueEntry } from './queue-entry.ts'
import { QueueRow } from './queue-list-panel.tsx'
import { uploads } from './uploads.ts'

const file = new File(['The harbour opens at nine.'], 'harbour.txt', { type: 'text/plain' })
const entryWith = (changes: Partial<QueueEntry>): QueueEntry => ({ ...newEntry(7, file), ...changes })

it('can be removed from the queue while it is pending', async () => {
  const remove = vi.spyOn(uploads, 'remove').mockResolvedValue()
  const { user } = await renderPart(<QueueRow entry={entryWith({})} />)
  expect(screen.getByText('harbour.txt')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: /remove harbour\.txt/i }))
  expect(remove).toHaveBeenCalledExactlyOnceWith(7)
})

it('shows the upload progress', async () => {
  await renderPart(<QueueRow entry={entryWith({ status: 'uploading', progress: 40 })} />)
  expect(screen.getByRole('progressbar', { name: /harbour\.txt/ }).getAttribute('aria-valuenow')).toBe('40')
  expect(screen.queryByRole('button')).toBeNull()
})

it('shows why it failed, and can be retried', async () => {
  const retry = vi.spyOn(uploads, 'retry').mockImplementation(async () => {})
  const error = new ProcessingFailure('This PDF is locked with a password.')
  const { user } = await renderPart(<QueueRow entry={entryWith({ status: 'error', error })} />)
  expect(screen.getByText(/This PDF is locked with a password\./)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: /harbour\.txt/ }))
  expect(retry).toHaveBeenCalledExactlyOnceWith(7)
})

it('links to the item once it is completed', async () => {
  await renderPart(<QueueRow entry={entryWith({ status: 'completed', mediaId: 'abc' })} />)
  expect(screen.getByRole('link', { name: /harbour\.txt/ }).getAttribute('href')).toBe('/gallery/abc')
})
