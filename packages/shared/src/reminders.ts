import { z } from 'zod'
import { REMINDER_TEXT_MAX_CHARACTERS } from './constants/limits.ts'
import { recurrenceUnits } from './constants/reminders.ts'
import { pageQuerySchema, timestampSchema } from './timestamp.ts'

const MAX_SNOOZE_MINUTES = 60 * 24 * 365

export const recurrenceSchema = z.strictObject({
  every: z.number().int().min(1).max(1000),
  unit: z.enum(recurrenceUnits),
  /** For weekly ones: 1 is Monday, 7 is Sunday; the weekday of the first time when left out. */
  weekdays: z
    .array(z.number().int().min(1).max(7))
    .min(1)
    .max(7)
    .refine((days) => new Set(days).size === days.length, { error: 'Name each weekday once.' })
    .optional(),
  /** For daily and rarer ones: the time of day in the reminder's zone, `HH:MM`; that of the first time when left out. */
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 09:30' })
    .optional(),
})
export type Recurrence = z.infer<typeof recurrenceSchema>

export const reminderStateSchema = z.enum(['active', 'completed'])
export type ReminderState = z.infer<typeof reminderStateSchema>

/** Something that a person wants to be told of at a time. */
export const reminderSchema = z.object({
  id: z.uuid(),
  text: z.string(),
  /** Next due time; for a past reminder that doesn't recur, its original one. */
  due_at: timestampSchema,
  /** IANA zone in which a recurring one keeps its time of day. */
  time_zone: z.string(),
  recurrence: recurrenceSchema.nullable(),
  state: reminderStateSchema,
  /** Time of the last notification. */
  fired_at: timestampSchema.nullable(),
  /** Completion time; the latest one of a recurring reminder. */
  completed_at: timestampSchema.nullable(),
  created_at: timestampSchema,
})
export type Reminder = z.output<typeof reminderSchema>
export type ReminderJson = z.input<typeof reminderSchema>

const reminderTextSchema = z
  .string()
  .trim()
  .min(1, { error: 'Write what you want to be reminded of.' })
  .max(REMINDER_TEXT_MAX_CHARACTERS, { error: `Write at most ${REMINDER_TEXT_MAX_CHARACTERS} characters.` })
const timeZoneSchema = z.string().min(1).max(100)

/**
 * POST /reminders. With a recurrence it is first told at its first time at or after `due_at`. The zone is that of the
 * request when it is left out.
 */
export const createReminderSchema = z.strictObject({
  text: reminderTextSchema,
  due_at: timestampSchema,
  time_zone: timeZoneSchema.optional(),
  recurrence: recurrenceSchema.nullable().optional(),
})
export type CreateReminder = z.output<typeof createReminderSchema>
export type CreateReminderJson = z.input<typeof createReminderSchema>

/** PATCH /reminders/{id}: what is left out stays; a recurrence of null has it told once more only. */
export const updateReminderSchema = z.strictObject({
  text: reminderTextSchema.optional(),
  due_at: timestampSchema.optional(),
  time_zone: timeZoneSchema.optional(),
  recurrence: recurrenceSchema.nullable().optional(),
})
export type UpdateReminder = z.output<typeof updateReminderSchema>
export type UpdateReminderJson = z.input<typeof updateReminderSchema>

/** GET /reminders: active ones by when they are due, the next one first; completed ones newest first. */
export const remindersQuerySchema = pageQuerySchema.extend({ state: reminderStateSchema.default('active') })
export const remindersResponseSchema = z.object({
  reminders: z.array(reminderSchema),
  next_cursor: z.string().nullable(),
})
export type RemindersResponse = z.output<typeof remindersResponseSchema>
export type RemindersResponseJson = z.input<typeof remindersResponseSchema>

/** POST /reminders/{id}/snooze: told again this many minutes from now. */
export const snoozeReminderSchema = z.strictObject({
  minutes: z.number().int().min(1).max(MAX_SNOOZE_MINUTES),
})
