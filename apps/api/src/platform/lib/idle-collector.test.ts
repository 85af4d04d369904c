import { expect, test } from 'vitest'
import { createIdleCollector } from './idle-collector.ts'

const MB = 1024 * 1024

/** Heap that a collection shrinks to 100 MB with a delay. */
function heapOf(usedMb: number) {
  const heap = {
    usedMb,
    busy: 0,
    collections: 0,
    isFreeing: false,
    allocatedBytes: () => {
      const bytes = heap.usedMb * MB
      if (heap.isFreeing) heap.usedMb = 100
      heap.isFreeing = false
      return bytes
    },
    busyShare: () => heap.busy,
    collect: () => {
      heap.collections++
      heap.isFreeing = true
    },
  }
  return heap
}

test('garbage from the start is collected once, when the server has been idle for a while', () => {
  const heap = heapOf(300)
  const check = createIdleCollector(heap)
  heap.busy = 0.6
  check()
  heap.busy = 0.01
  check()
  expect(heap.collections).toBe(0)
  for (let n = 0; n < 5; n++) check()
  expect(heap.collections).toBe(1)
})

test('nothing is collected while the server is busy, but its garbage is afterwards', () => {
  const heap = heapOf(300)
  const check = createIdleCollector(heap)
  for (let n = 0; n < 5; n++) check()
  expect(heap.collections).toBe(1)
  heap.busy = 0.3
  heap.usedMb = 200
  for (let n = 0; n < 10; n++) check()
  expect(heap.collections).toBe(1)
  heap.busy = 0
  for (let n = 0; n < 3; n++) check()
  expect(heap.collections).toBe(2)
})
