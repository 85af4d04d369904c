import { randomUUID } from 'node:crypto'
import type { Language, Reminder } from '@mira/shared'
import type { AgentContext } from '../src/modules/chat/agents/agent-kind.ts'
import { createReminder, type ReminderTools } from '../src/modules/chat/agents/kinds/reminder.ts'

/** A Wednesday, 10:00 in Madrid. */
export const now = new Date('2026-05-06T08:00:00Z')

export const callerIn = (language: Language, at = now): AgentContext => ({
  ...{ userId: 'a person', canSearchMemory: true, canReadStored: true, language, timeZone: 'Europe/Madrid' },
  now: at,
})

/** Reminder agent on an array of reminders: due an hour apart, or at `due`, an ISO time in UTC without seconds. */
export function agentWith(texts: (string | { text: string; due: string })[] = []) {
  const reminders: Reminder[] = []
  const actions: string[] = []
  const add = (text: string, due_at: Date, recurrence: Reminder['recurrence'] = null): Reminder => {
    const reminder: Reminder = {
      ...{ id: randomUUID(), text, due_at, recurrence, state: 'active', time_zone: 'Europe/Madrid' },
      ...{ fired_at: null, completed_at: null, created_at: now },
    }
    reminders.push(reminder)
    return reminder
  }
  for (const [index, one] of texts.entries()) {
    if (typeof one === 'string') add(one, new Date(now.getTime() + (index + 1) * 3_600_000))
    else add(one.text, new Date(`${one.due}:00Z`))
  }
  const byId = (id: string) => reminders.find((reminder) => reminder.id === id) as Reminder
  const tools: ReminderTools = {
    create: async (_userId, { text, due_at, recurrence }) => add(text, due_at, recurrence),
    list: async () => ({ reminders: [...reminders] }),
    snooze: async (_userId, id, minutes) => {
      actions.push(`snoozed ${byId(id).text} for ${minutes}`)
      return byId(id)
    },
    complete: async (_userId, id) => {
      actions.push(`completed ${byId(id).text}`)
      return { ...byId(id), state: 'completed' }
    },
    remove: async (_userId, id) => {
      actions.push(`deleted ${byId(id).text}`)
    },
  }
  return { agent: createReminder({ reminders: tools }), reminders, actions }
}
