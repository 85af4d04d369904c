import { expect, test } from 'vitest'
import { operationsOn } from './drawn-notes.ts'

test('a page that is drawn without end, or cannot be drawn, has no operations', async () => {
  const endless = { getOperatorList: () => new Promise<never>(() => undefined) }
  const broken = { getOperatorList: () => Promise.reject(new Error('No such operation')) }
  for (const page of [endless, broken])
    expect(await operationsOn(page, performance.now() + 20)).toEqual({ fnArray: [], argsArray: [] })
})
