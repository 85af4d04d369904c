// @vitest-environment happy-dom
import { act, render } from '@testing-library/react'
import { useRef } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import type { ChatItem } from '../conversation/conversation-state.ts'
import { useWantedMessage } from './message-list.tsx'

const calls = { settled: vi.fn(), older: vi.fn(), version: vi.fn(), scrolledTo: vi.fn() }
HTMLElement.prototype.scrollIntoView = function scroll(this: HTMLElement) {
  calls.scrolledTo(this.dataset.message)
}
afterEach(() => {
  for (const call of Object.values(calls)) call.mockClear()
})

function Conversation({ ids, previousCursor }: { ids: string[]; previousCursor: string | null }) {
  const [scroller, content] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const shownId = useWantedMessage({
    wantedMessage: { id: 'b', isFromOutside: false, onSettled: calls.settled },
    state: { items: ids.map((id) => ({ id }) as ChatItem), older: 'idle', previousCursor },
    scroller,
    content,
    onLoadOlder: calls.older,
    onShowVersion: calls.version,
  })
  return (
    <div ref={scroller}>
      <div ref={content}>
        {ids.map((id) => (
          <p key={id} data-message={id} aria-current={id === shownId} />
        ))}
      </div>
    </div>
  )
}

it('a linked message is loaded, scrolled into view and highlighted for a moment', async () => {
  vi.useFakeTimers()
  const { rerender, container } = render(<Conversation ids={['c', 'd']} previousCursor="older" />)
  expect(calls.older).toHaveBeenCalledOnce()
  expect(calls.settled).not.toHaveBeenCalled()
  rerender(<Conversation ids={['a', 'b', 'c', 'd']} previousCursor={null} />)
  expect(calls.scrolledTo).toHaveBeenCalledWith('b')
  expect(calls.settled).toHaveBeenCalledOnce()
  expect(container.querySelector('[aria-current=true]')?.getAttribute('data-message')).toBe('b')
  await act(() => vi.advanceTimersByTimeAsync(3_000))
  expect(container.querySelector('[aria-current=true]')).toBeNull()
  vi.useRealTimers()
})

it('a linked message in another version of the conversation has that version shown, requested once', () => {
  const { rerender } = render(<Conversation ids={['a', 'c']} previousCursor={null} />)
  rerender(<Conversation ids={['a', 'd']} previousCursor={null} />)
  expect(calls.version.mock.calls).toEqual([['b']])
  rerender(<Conversation ids={['a', 'b']} previousCursor={null} />)
  expect(calls.scrolledTo).toHaveBeenCalledWith('b')
})
