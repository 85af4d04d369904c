import { expect, test } from 'vitest'
import { createCollecting } from './collecting.ts'

const MB = 1024 * 1024

/** A heap of which a collection leaves 100 MB, though not at once. */
function heapOf(heldMb: number) {
  const heap = {
    heldMb,
    busy: 0,
    collections: 0,
    isFreeing: false,
    allocatedBytes: () => {
      const bytes = heap.heldMb * MB
      if (heap.isFreeing) heap.heldMb = 100
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

test('what starting left is collected when the server has been at rest for a while, once', () => {
  const heap = heapOf(300)
  const look = createCollecting(heap)
  heap.busy = 0.6
  look()
  heap.busy = 0.01
  look()
  expect(heap.collections).toBe(0)
  for (let n = 0; n < 5; n++) look()
  expect(heap.collections).toBe(1)
})

test('nobody waits for a collection while there is work, and what the work left goes after it', () => {
  const heap = heapOf(300)
  const look = createCollecting(heap)
  for (let n = 0; n < 5; n++) look()
  expect(heap.collections).toBe(1)
  heap.busy = 0.3
  heap.heldMb = 200
  for (let n = 0; n < 10; n++) look()
  expect(heap.collections).toBe(1)
  heap.busy = 0
  for (let n = 0; n < 3; n++) look()
  expect(heap.collections).toBe(2)
})
