import { expect, test } from 'vitest'
import type { Week } from '../summaries.store.ts'
import type { TaskRun } from '../task.ts'
import { createSummaryGeneration } from './summary-generation.ts'

test.each([
  ['one’s', ['instance'], 'deleted'],
  ['the instance’s', [], null],
])(
  'summarises the weeks of the other users when %s can’t be summarised, and then reports the failure',
  async (_, owners, failing) => {
    const added: string[] = []
    const counts = {
      active_users: 0,
      messages: 0,
      sessions: 0,
      uploads: 0,
      searches: 0,
      agent_calls: 0,
      effects: 0,
      busiest_day: null,
    }
    const task = createSummaryGeneration({
      summaries: {
        ownersOf: async () => new Set(owners),
        activeUsers: async () =>
          [...(failing === null ? [] : [failing]), 'anna', 'ben'].map((id) => ({ id, language: 'en' })),
        count: async () => counts,
        highlights: async () => ({ asked_ids: [], added_ids: [], found_ids: [], top_agent: null }),
        add: async ({ userId, weekStart }: Week & { weekStart: string }) => {
          if (userId === failing) throw new Error('refused')
          added.push(`${weekStart} ${userId}`)
          return 'new'
        },
      },
      tasksStore: { languageOfAdministrators: async () => 'en' },
      notifications: { notify: async () => {} },
    } as never)
    const run = task.run({
      signal: new AbortController().signal,
      scheduledAt: new Date('2026-11-30T06:00:00Z'),
      isManual: false,
      timeZone: 'UTC',
      results: {},
      note: () => {},
      step: async (_name: string, act: Parameters<TaskRun['step']>[1]) =>
        void (await act({ total: () => {}, done: () => {}, failed: () => {} })),
    } as never)
    await expect(run).rejects.toThrow('refused')
    const weeks = ['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23']
    expect(added).toEqual(weeks.flatMap((week) => [`${week} anna`, `${week} ben`]))
  },
)
