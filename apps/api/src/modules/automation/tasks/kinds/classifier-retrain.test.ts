import { expect, test } from 'vitest'
import type { TaskRun } from '../task.ts'
import { createClassifierRetrain } from './classifier-retrain.ts'

test('trains for the other users when training for one fails, and then reports the failure', async () => {
  const triedIds: string[] = []
  const task = createClassifierRetrain({
    intents: {
      retrain: async () => ({
        ...{ before: null, after: { accuracy: 1 }, isKept: true, trainingCount: 1, heldOutCount: 1, calls: 0 },
      }),
    },
    upkeep: {
      removeTagModelsBelow: async () => {},
      usersWithTags: async () => ['anna', 'ben'],
      taggedTexts: async (userId: string) => {
        triedIds.push(userId)
        if (userId === 'anna') throw new Error('refused')
        return []
      },
    },
  } as never)
  const run = task.run({
    signal: new AbortController().signal,
    note: () => {},
    step: async (_name: string, act: Parameters<TaskRun['step']>[1]) =>
      void (await act({ total: () => {}, done: () => {}, failed: () => {} })),
  } as never)
  await expect(run).rejects.toThrow('refused')
  expect(triedIds).toEqual(['anna', 'ben'])
})
