import { ApiError } from '@mira/client'
import { expect, test, vi } from 'vitest'
import { currentMira } from '../account.ts'
import { Failure } from '../failure.ts'
import { print } from '../output.ts'
import { importFile } from './import.ts'

vi.mock('node:timers/promises', () => ({ setTimeout: async () => undefined }))
vi.mock('../account.ts', () => ({ currentMira: vi.fn() }))
vi.mock('../output.ts', () => ({ print: vi.fn(), printJson: vi.fn() }))

test('keeps following an import when the server is briefly unreachable', async () => {
  const call = vi
    .fn()
    .mockResolvedValueOnce({ id: 'one', state: 'queued' })
    .mockRejectedValueOnce(new ApiError(0, { code: 'network', detail: 'The server can’t be reached.' }))
    .mockResolvedValue({ state: 'done', found: 3, imported: 2, skipped: 1, completed: 0, failed: [] })
  vi.mocked(currentMira).mockResolvedValue({ call } as never)
  await importFile.handler({ file: import.meta.filename, source: 'mira', preview: false, json: false } as never)
  expect(print).toHaveBeenCalledExactlyOnceWith('3 found, 2 imported, 1 already there.')
})

test('exits with 1 when part of an import failed', async () => {
  const failed = [{ name: 'a.jpg', reason: 'It is broken.' }]
  const call = vi.fn().mockResolvedValue({ state: 'done', found: 1, imported: 0, skipped: 0, completed: 0, failed })
  vi.mocked(currentMira).mockResolvedValue({ call } as never)
  await importFile.handler({ file: import.meta.filename, source: 'mira', preview: false, json: true } as never)
  expect(process.exitCode).toBe(1)
  process.exitCode = undefined
})

test.each([
  ['missing.zip', 'missing.zip doesn’t exist.'],
  [import.meta.dirname, `${import.meta.dirname} isn’t a file.`],
])('says what is wrong with %s', async (file, message) => {
  await expect(importFile.handler({ file, source: 'mira', preview: false, json: false } as never)).rejects.toThrow(
    new Failure(message),
  )
})
