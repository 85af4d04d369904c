import { z } from 'zod'
import { recurrenceUnits, runStatuses, taskTypes } from './constants/automation.ts'
import { REMINDER_TEXT_MAX_CHARACTERS } from './constants/limits.ts'
import { pageQuerySchema } from './ids-and-pages.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

const MAX_SNOOZE_MINUTES = 60 * 24 * 365

export const recurrenceSchema = z.strictObject({
  every: z.number().int().min(1).max(1000),
  unit: z.enum(recurrenceUnits),
  /** For weekly reminders: 1 is Monday, 7 is Sunday; defaults to the weekday of the first occurrence. */
  weekdays: z
    .array(z.number().int().min(1).max(7))
    .min(1)
    .max(7)
    .refine((days) => new Set(days).size === days.length, { error: 'Name each weekday once.' })
    .optional(),
  /** For daily and rarer reminders: `HH:MM` in the reminder's zone; defaults to the time of the first occurrence. */
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 09:30' })
    .optional(),
})
export type Recurrence = z.infer<typeof recurrenceSchema>

export const reminderStateSchema = z.enum(['active', 'completed'])
export type ReminderState = z.infer<typeof reminderStateSchema>

export const reminderSchema = z.object({
  id: z.uuid(),
  text: z.string(),
  /** Next due time. A reminder that doesn't recur keeps its due time once that has passed. */
  due_at: timestampSchema,
  /** IANA zone in which a recurring reminder keeps its time of day. */
  time_zone: z.string(),
  recurrence: recurrenceSchema.nullable(),
  state: reminderStateSchema,
  /** Time when the reminder last notified the user; null before the first notification. */
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
 * POST /reminders. A recurring reminder is first due at its first occurrence at or after `due_at`. The zone defaults to that
 * of the request.
 */
export const createReminderSchema = z.strictObject({
  text: reminderTextSchema,
  due_at: timestampSchema,
  time_zone: timeZoneSchema.optional(),
  recurrence: recurrenceSchema.nullable().optional(),
})
export type CreateReminder = z.output<typeof createReminderSchema>

/** PATCH /reminders/{id}: omitted fields stay. With null as recurrence, the reminder is due only once more. */
export const updateReminderSchema = z.strictObject({
  text: reminderTextSchema.optional(),
  due_at: timestampSchema.optional(),
  time_zone: timeZoneSchema.optional(),
  recurrence: recurrenceSchema.nullable().optional(),
})
export type UpdateReminder = z.output<typeof updateReminderSchema>
export type UpdateReminderJson = z.input<typeof updateReminderSchema>

/** GET /reminders: active reminders by due time, the next one first; completed reminders newest first. */
export const remindersQuerySchema = pageQuerySchema.extend({ state: reminderStateSchema.default('active') })
export const remindersResponseSchema = z.object({
  reminders: z.array(reminderSchema),
  next_cursor: z.string().nullable(),
})
export type RemindersResponse = z.output<typeof remindersResponseSchema>
export type RemindersResponseJson = z.input<typeof remindersResponseSchema>

/** POST /reminders/{id}/snooze: due again this many minutes from now. */
export const snoozeReminderSchema = z.strictObject({
  minutes: z.number().int().min(1).max(MAX_SNOOZE_MINUTES),
})

/**
 * POST /reminders/{id}/complete. The optional `due_at` names the occurrence to complete, so that a repeated request doesn't
 * complete the next one: `fired_at` of a reminder that fired since it was last completed, otherwise its `due_at`.
 */
export const completeReminderSchema = z.strictObject({ due_at: timestampSchema.optional() })

export const taskTypeSchema = z.enum(taskTypes)

export const runStatusSchema = z.enum(runStatuses)

/** GET /automation/health. */
export const automationHealthSchema = z.object({ status: z.literal('ok'), scheduler_running: z.boolean() })

export const automationTaskSchema = z.object({
  is_enabled: z.boolean(),
  /** Cron expression of five fields; null for a task that runs only when triggered. */
  schedule: z.string().nullable(),
  /** IANA zone of the schedule. */
  time_zone: z.string(),
  last_run: z
    .object({
      id: z.uuid(),
      status: runStatusSchema,
      started_at: timestampSchema.nullable(),
      /** Duration of the run in seconds; null until it has ended. */
      duration: z.number().nullable(),
      error: z.string().nullable(),
      /** The error as codes with parameters, for translation. */
      error_told: z.array(codedSentenceSchema),
    })
    .nullable(),
  /** Times of the next five runs; empty for a disabled or unscheduled task. */
  next_runs: z.array(timestampSchema),
})
export type AutomationTask = z.output<typeof automationTaskSchema>
export type AutomationTaskJson = z.input<typeof automationTaskSchema>

/** GET /automation/status. */
export const automationStatusResponseSchema = z.object({
  success: z.literal(true),
  automation_status: z.object({
    scheduler_running: z.boolean(),
    /** Number of enabled, scheduled tasks. */
    active_jobs: z.number().int(),
    /** Runs in progress on all servers. */
    current_runs: z.number().int(),
    tasks: z.record(taskTypeSchema, automationTaskSchema),
  }),
})
export type AutomationStatusResponse = z.output<typeof automationStatusResponseSchema>
export type AutomationStatusResponseJson = z.input<typeof automationStatusResponseSchema>

const resultValueSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const automationRunSchema = z.object({
  id: z.uuid(),
  task_type: taskTypeSchema,
  trigger: z.enum(['schedule', 'manual', 'retry']),
  /** Scheduled time; null for a triggered run. */
  scheduled_for: timestampSchema.nullable(),
  reason: z.string().nullable(),
  status: runStatusSchema,
  created_at: timestampSchema,
  started_at: timestampSchema.nullable(),
  finished_at: timestampSchema.nullable(),
  duration_seconds: z.number().nullable(),
  error_message: z.string().nullable(),
  error_told: z.array(codedSentenceSchema),
  /** Results of the run; null until it has ended. */
  results: z
    .object({
      items_processed: z.number().int(),
      /** True when the run succeeded without findings. */
      success: z.boolean(),
    })
    .catchall(resultValueSchema)
    .nullable(),
  /** Completed share of the steps known so far, 0 to 1; null unless the run is in progress. */
  progress: z.number().nullable(),
})
export type AutomationRun = z.output<typeof automationRunSchema>
export type AutomationRunJson = z.input<typeof automationRunSchema>

export const automationRunStepSchema = z.object({
  /** Code of the step, which clients translate. */
  name: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  items: z.number().int(),
  /** Number of items that this step processes; null when unknown. */
  total: z.number().int().nullable(),
  error: z.string().nullable(),
  error_told: z.array(codedSentenceSchema),
  started_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
})

/** GET /automation/runs/{id}. */
export const automationRunDetailSchema = automationRunSchema.extend({
  steps: z.array(automationRunStepSchema),
  log: z.array(
    z.object({
      at: timestampSchema,
      level: z.enum(['info', 'warning', 'error']),
      text: z.string(),
      told: z.array(codedSentenceSchema),
    }),
  ),
  /** Attempts so far; more than one when a server stopped in the middle of a run. */
  attempts: z.number().int(),
  has_dataset: z.boolean(),
})
export type AutomationRunDetail = z.output<typeof automationRunDetailSchema>
export type AutomationRunDetailJson = z.input<typeof automationRunDetailSchema>

/** GET /automation/runs: newest first. */
export const automationRunsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(10),
  cursor: z.string().max(200).optional(),
})
export const automationRunsResponseSchema = z.object({
  runs: z.array(automationRunSchema),
  next_cursor: z.string().nullable(),
})
export type AutomationRunsResponse = z.output<typeof automationRunsResponseSchema>
export type AutomationRunsResponseJson = z.input<typeof automationRunsResponseSchema>

/** POST /automation/trigger. */
export const triggerTaskSchema = z.strictObject({
  task_type: taskTypeSchema,
  reason: z.string().trim().max(500).optional(),
})
export const triggerResponseSchema = z.object({ run_id: z.uuid() })

/** PUT /automation/tasks/{task_type}: omitted fields stay. */
export const updateTaskSchema = z.strictObject({
  is_enabled: z.boolean().optional(),
  schedule: z.string().trim().max(100).nullable().optional(),
  time_zone: z.string().min(1).max(100).optional(),
})
export type UpdateTask = z.infer<typeof updateTaskSchema>
export const taskParamsSchema = z.object({ task_type: taskTypeSchema })

/** A weekly figure, with a path of the web app to its details. */
export const summaryFigureSchema = z.object({
  name: z.string(),
  value: z.number().int(),
  /** Value of the figure in the week before. */
  previous: z.number().int(),
  link: z.string(),
})

export const weeklySummarySchema = z.object({
  id: z.uuid(),
  /** A Monday, `YYYY-MM-DD`. */
  week_start: z.iso.date(),
  generated_at: timestampSchema,
  /** True for a report made before the end of its week; it covers the days up to then. */
  is_so_far: z.boolean(),
  total_users_active: z.number().int(),
  total_messages: z.number().int(),
  total_sessions: z.number().int(),
  /** Share of the ended requests that succeeded, 0 to 1; null when there were none. */
  success_rate: z.number().nullable(),
  summary_text: z.string(),
  insights: z.object({ key_insights: z.array(z.string()) }),
  figures: z.array(summaryFigureSchema),
  /** Conversations and items of the user's week, without those deleted since. */
  highlights: z.array(z.object({ kind: z.enum(['asked', 'added', 'found']), title: z.string(), link: z.string() })),
  engine: z.string(),
})
export type WeeklySummary = z.output<typeof weeklySummarySchema>
export type WeeklySummaryJson = z.input<typeof weeklySummarySchema>

/** GET /automation/summaries and GET /me/summaries: newest first. */
export const summariesQuerySchema = z.object({ limit: z.coerce.number().int().min(1).max(52).default(5) })
export const summariesResponseSchema = z.object({ summaries: z.array(weeklySummarySchema) })
export type SummariesResponseJson = z.input<typeof summariesResponseSchema>
