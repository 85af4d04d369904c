// @vitest-environment happy-dom
import { useQuery } from '@tanstack/react-query'
import { act, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { loadTexts } from '../i18n/i18n.ts'
import { QueryList } from './query-list.tsx'

const load = vi.fn<() => Promise<string[]>>()
let query: ReturnType<typeof useQuery<string[]>>

function List() {
  query = useQuery({ queryKey: ['towers'], queryFn: load, retry: false })
  return (
    <QueryList query={query} items={query.data} label="Towers" empty={{ icon: null, title: 'No towers' }}>
      {(name) => <li key={name}>{name}</li>}
    </QueryList>
  )
}

test('a list that failed to load isn’t shown as empty, and can be retried', async () => {
  await loadTexts('app')
  load.mockRejectedValueOnce(new Error('away'))
  const { user } = await renderPart(<List />)
  const retry = await screen.findByRole('button', { name: 'Retry' })
  expect(screen.queryByText('No towers')).toBeNull()
  load.mockResolvedValueOnce(['Kampen'])
  await user.click(retry)
  expect(await screen.findByText('Kampen')).toBeTruthy()
})

test('a list stays as it is when reloading fails', async () => {
  await loadTexts('app')
  load.mockResolvedValueOnce(['Kampen'])
  await renderPart(<List />)
  await screen.findByText('Kampen')
  load.mockRejectedValueOnce(new Error('away'))
  await act(async () => {
    expect((await query.refetch()).isError).toBe(true)
    // The query reports the error one task later.
    await new Promise((resolve) => setTimeout(resolve))
  })
  expect(screen.getByText('Kampen')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})
