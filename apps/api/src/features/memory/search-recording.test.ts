import { expect, test } from 'vitest'
import type { ActivityRecord } from '../../db/activity.ts'
import { DatabaseGoneError, isDatabaseUnavailable as isUnavailable } from '../../db/availability.ts'
import { createLog } from '../../log.ts'
import { createSearchRecording } from './search-recording.ts'

const search = { id: 'one', userId: 'ana', kind: 'search' as const, detail: { action: 'searched' } }

function recordingWith(failures: Error[]) {
  const recorded: ActivityRecord[] = []
  const recording = createSearchRecording({
    record: async (activity) => {
      const failure = failures.shift()
      if (failure) throw failure
      recorded.push(activity)
    },
    isUnavailable,
    log: createLog('silent'),
    retryMs: 1,
  })
  return { recorded, recording }
}

test('a search is recorded though the database was away for a while', async () => {
  const { recorded, recording } = recordingWith([
    new DatabaseGoneError('it stopped'),
    new DatabaseGoneError('it stopped'),
  ])
  const told: string[] = []
  recording.begin(search, () => told.push('recorded'))
  await recording.recorded('one')
  expect(recorded).toEqual([search])
  expect(told).toEqual(['recorded'])
})

test('whoever opens a result waits until its search is recorded', async () => {
  const { promise: disk, resolve: written } = Promise.withResolvers<void>()
  const recording = createSearchRecording({ record: () => disk, isUnavailable, log: createLog('silent') })
  const order: string[] = []
  recording.begin(search, () => order.push('recorded'))
  const opened = recording.recorded('one').then(() => order.push('opened'))
  written()
  await opened
  expect(order).toEqual(['recorded', 'opened'])
})

test('a server that closes tries once more and waits for nothing else', async () => {
  const { recorded, recording } = recordingWith([new DatabaseGoneError('it stopped')])
  recording.begin(search, () => {})
  await recording.settle()
  expect(recorded).toEqual([search])
  const { recording: other } = recordingWith(Array.from({ length: 5 }, () => new DatabaseGoneError('it stopped')))
  other.begin(search, () => {
    throw new Error('it was not recorded')
  })
  await other.settle()
})

test('what can never be recorded is not tried again', async () => {
  const { recorded, recording } = recordingWith([new Error('there is no such person any more')])
  recording.begin(search, () => {})
  await recording.recorded('one')
  expect(recorded).toEqual([])
})
