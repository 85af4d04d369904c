import { afterEach, describe, expect, it, vi } from 'vitest'
import { currentToasts, dismissToast, showToast, subscribeToToasts } from './show-toast.ts'

afterEach(() => {
  for (const toast of currentToasts()) dismissToast(toast.id)
})

describe('toasts', () => {
  it('are shown in order, at most four, dropping the oldest first', () => {
    for (const title of ['one', 'two', 'three', 'four', 'five']) showToast({ title })
    expect(currentToasts().map((toast) => toast.title)).toEqual(['two', 'three', 'four', 'five'])
  })

  it('stay five seconds, errors ten, or for a given duration', () => {
    showToast({ title: 'saved' })
    showToast({ title: 'failed', tone: 'danger' })
    showToast({ title: 'brief', durationMs: 100 })
    expect(currentToasts().map((toast) => [toast.tone, toast.durationMs])).toEqual([
      ['info', 5000],
      ['danger', 10_000],
      ['info', 100],
    ])
  })

  it('notify listeners of each change and keep the same array in between', () => {
    const listener = vi.fn()
    const stop = subscribeToToasts(listener)
    const id = showToast({ title: 'saved' })
    const before = currentToasts()
    expect(currentToasts()).toBe(before)
    dismissToast(id)
    expect(currentToasts()).toEqual([])
    expect(listener).toHaveBeenCalledTimes(2)
    stop()
    showToast({ title: 'unheard' })
    expect(listener).toHaveBeenCalledTimes(2)
  })
})
