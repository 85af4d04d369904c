import { readFileSync } from 'node:fs'
import { type Language, languages, type Recurrence, type Reminder } from '@mira/shared'
import { describe, expect, test } from 'vitest'
import { createReminder, type ReminderTools } from './reminder.ts'

/** A Wednesday, 10:00 in Madrid. */
const now = new Date('2026-05-06T08:00:00Z')
const tomorrowAt9 = new Date('2026-05-07T07:00:00Z')

const titlesIn = (language: Language) =>
  readFileSync(new URL(`../../../../../test/reminder-titles/${language}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

const sentences: Record<Language, (title: string) => string[]> = {
  en: (title) => [`${title} tomorrow at 9`, `tomorrow at 9 ${title}`],
  de: (title) => [`${title} morgen um 9 Uhr`, `morgen um 9 Uhr ${title}`],
  es: (title) => [`${title} mañana a las 9`, `mañana a las 9: ${title}`],
  fr: (title) => [`${title} demain à 9h`, `demain à 9h ${title}`],
}

async function create(
  sentence: string,
  language: Language,
): Promise<{ text: string; due_at: Date; recurrence: Recurrence | null }> {
  const createdReminders: { text: string; due_at: Date; recurrence: Recurrence | null }[] = []
  const reminders: Partial<ReminderTools> = {
    create: async (_userId, reminder) => {
      createdReminders.push(reminder)
      return { id: '1', state: 'active', fired_at: null, completed_at: null, created_at: now, ...reminder } as Reminder
    },
  }
  const agent = createReminder({ reminders: reminders as ReminderTools })
  const caller = {
    userId: 'a person',
    canSearchMemory: true,
    canReadStored: true,
    timeZone: 'Europe/Madrid',
    language,
    now,
  }
  await agent.run(sentence, caller)
  const [reminder] = createdReminders
  if (reminder === undefined) throw new Error('no reminder was created')
  return { text: reminder.text, due_at: reminder.due_at, recurrence: reminder.recurrence }
}

describe.each(languages)('an ordinary title in %s', (language) => {
  test.each(titlesIn(language).flatMap((title) => sentences[language](title).map((sentence) => ({ title, sentence }))))(
    'is separated from the time: $sentence',
    async ({ title, sentence }) => {
      expect(await create(sentence, language)).toEqual({ text: title, due_at: tomorrowAt9, recurrence: null })
    },
  )
})
