// @vitest-environment happy-dom
import { act, render } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import type { ChatItem } from '../conversation/conversation-state.ts'
import { useRequestedMessage } from './message-list.tsx'

const calls = {
  settled: vi.fn(),
  older: vi.fn(),
  version: vi.fn(async (_id: string) => true),
  offer: vi.fn((_onAccept: () => void) => {}),
  scrolledTo: vi.fn(),
}
HTMLElement.prototype.scrollIntoView = function scroll(this: HTMLElement) {
  calls.scrolledTo(this.dataset.message)
}
afterEach(() => {
  for (const call of Object.values(calls)) call.mockClear()
})

interface ConversationProps {
  ids: string[]
  previousCursor: string | null
  isFromOutside?: boolean
  sessionId?: string
}

/** Conversation whose address leads to message b until that is settled. */
function Conversation({ ids, previousCursor, isFromOutside = false, sessionId = 'one' }: ConversationProps) {
  const [isInAddress, setIsInAddress] = useState(true)
  const onSettled = () => {
    calls.settled()
    setIsInAddress(false)
  }
  const [scroller, content] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const shownId = useRequestedMessage({
    requestedMessage: isInAddress ? { id: 'b', isFromOutside, onSettled } : null,
    state: { sessionId, items: ids.map((id) => ({ id }) as ChatItem), older: 'idle', previousCursor },
    scroller,
    content,
    onLoadOlder: calls.older,
    onShowVersion: calls.version,
    onOfferVersion: calls.offer,
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
  expect(calls.settled).toHaveBeenCalledOnce()
})

it('a link to a message that doesn’t exist leaves the address, and later changes don’t scroll', async () => {
  calls.version.mockResolvedValueOnce(false)
  const { rerender } = render(<Conversation ids={['a']} previousCursor={null} />)
  expect(calls.settled).toHaveBeenCalledOnce()
  await act(async () => {})
  rerender(<Conversation ids={['a', 'b']} previousCursor={null} />)
  expect(calls.scrolledTo).not.toHaveBeenCalled()
})

it('a link from outside leaves the address once its version is offered, and is followed when that is accepted', async () => {
  const { rerender } = render(<Conversation ids={['a']} previousCursor={null} isFromOutside />)
  expect(calls.settled).toHaveBeenCalledOnce()
  expect(calls.version).not.toHaveBeenCalled()
  await act(async () => calls.offer.mock.lastCall?.[0]())
  expect(calls.version.mock.calls).toEqual([['b']])
  rerender(<Conversation ids={['a', 'b']} previousCursor={null} isFromOutside />)
  expect(calls.scrolledTo).toHaveBeenCalledWith('b')
})

it('a version requested in one conversation doesn’t load older messages of another', () => {
  const { rerender } = render(<Conversation ids={['a']} previousCursor={null} />)
  rerender(<Conversation ids={['x']} previousCursor="older" sessionId="two" />)
  expect(calls.older).not.toHaveBeenCalled()
})
