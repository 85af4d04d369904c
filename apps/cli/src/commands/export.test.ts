import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { currentMira } from '../account.ts'
import { exportAll } from './export.ts'

vi.mock('../account.ts', () => ({ currentMira: vi.fn() }))

test('writes to standard output when the file is -', async () => {
  vi.mocked(currentMira).mockResolvedValue({ callForResponse: async () => new Response('An archive.') } as never)
  const stdout = new PassThrough()
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(stdout as never)
  await exportAll.handler({ output: '-', json: false } as never)
  vi.restoreAllMocks()
  expect(String(stdout.read())).toBe('An archive.')
})
