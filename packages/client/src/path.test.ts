import { expect, test } from 'vitest'
import { path } from './path.ts'

test('keeps each value within one segment of the path', () => {
  expect(path`/media/${'0198-a'}`).toBe('/media/0198-a')
  expect(path`/agents/${'../admin?x=1#y'}/runs/${7}`).toBe('/agents/..%2Fadmin%3Fx%3D1%23y/runs/7')
})
