// @vitest-environment happy-dom
import { act } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { useIsPainted } from '../../ui/use-is-painted.ts'
import { useQueryOncePainted } from './queries.ts'

// happy-dom paints nothing
vi.mock('../../ui/use-is-painted.ts')

const requests: string[] = []

function Fetching({ name, enabled }: { name: string; enabled: boolean }) {
  useQueryOncePainted({ queryKey: [name], queryFn: () => requests.push(name), enabled })
  return null
}

it('fetches once the component has been painted, and only when enabled', async () => {
  const view = () => (
    <>
      <Fetching name="enabled" enabled />
      <Fetching name="disabled" enabled={false} />
    </>
  )
  vi.mocked(useIsPainted).mockReturnValue(false)
  const { rerender } = await renderPart(view())
  expect(requests).toEqual([])
  vi.mocked(useIsPainted).mockReturnValue(true)
  await act(async () => rerender(view()))
  expect(requests).toEqual(['enabled'])
})
