// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { ErrorBoundary } from './error-boundary.tsx'
import { lazyScreen } from './lazy-part.tsx'

afterEach(cleanup)

const Fallback = () => <p>on its way</p>
const Part = ({ name }: { name: string }) => <p>the part of {name}</p>

it('loads a part when it is first shown, with a fallback until then', async () => {
  const load = vi.fn(async () => Part)
  const Screen = lazyScreen(load, Fallback)
  expect(load).not.toHaveBeenCalled()
  const { unmount } = render(<Screen name="Ann" />)
  expect(screen.getByText('on its way')).toBeDefined()
  await screen.findByText('the part of Ann')
  expect(screen.queryByText('on its way')).toBeNull()
  unmount()
  // from now on it renders immediately
  render(<Screen name="Bo" />)
  expect(screen.getByText('the part of Bo')).toBeDefined()
  expect(load).toHaveBeenCalledOnce()
})

it('passes a failure to the error boundary', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const Screen = lazyScreen(() => Promise.reject(new Error('The network is away')), Fallback)
  render(
    <ErrorBoundary fallback={<p>failed</p>}>
      <Screen />
    </ErrorBoundary>,
  )
  await screen.findByText('failed')
  vi.restoreAllMocks()
})
