import { expect, test } from 'vitest'
import { operationsOn } from './drawn-notes.ts'

test('returns no operations for a page that never finishes drawing or can’t be drawn', async () => {
  const endless = { getOperatorList: () => new Promise<never>(() => undefined) }
  const broken = { getOperatorList: () => Promise.reject(new Error('No such operation')) }
  for (const page of [endless, broken])
    expect(await operationsOn(page, performance.now() + 20)).toEqual({ fnArray: [], argsArray: [] })
})
