import {
  automationHealthSchema,
  automationRunDetailSchema,
  automationRunsQuerySchema,
  automationRunsResponseSchema,
  automationStatusResponseSchema,
  automationTaskSchema,
  completeReminderSchema,
  createReminderSchema,
  reminderSchema,
  remindersQuerySchema,
  remindersResponseSchema,
  snoozeReminderSchema,
  summariesQuerySchema,
  summariesResponseSchema,
  taskParamsSchema,
  triggerResponseSchema,
  triggerTaskSchema,
  updateReminderSchema,
  updateTaskSchema,
} from '../automation.ts'
import { idParamsSchema } from '../ids-and-pages.ts'
import {
  notificationsQuerySchema,
  notificationsReadSchema,
  notificationsResponseSchema,
  notificationsShownResponseSchema,
  notificationsShownSchema,
} from '../notifications.ts'
import {
  createPushSubscriptionSchema,
  pushKeySchema,
  pushSubscriptionSchema,
  pushSubscriptionsSchema,
  removePushSubscriptionSchema,
} from '../push.ts'
import { noContentSchema, routes } from './route.ts'

export const remindersRoutes = routes({
  'GET /reminders': {
    access: 'agents',
    summary: 'List the reminders',
    description: 'Active ones by due time, the next one first; completed ones newest first.',
    tag: 'Reminders',
    query: remindersQuerySchema,
    response: { 200: remindersResponseSchema },
  },
  'POST /reminders': {
    access: 'agents',
    summary: 'Add a reminder',
    description:
      'A recurring reminder is first due at its first occurrence at or after due_at, and keeps its time of day in ' +
      'its time zone. A due reminder is sent through /events and becomes a notification.',
    tag: 'Reminders',
    body: createReminderSchema,
    response: { 201: reminderSchema },
    errors: [409],
  },
  'PATCH /reminders/:id': {
    access: 'agents',
    respondsWithContent: true,
    summary: 'Change a reminder',
    description:
      'Omitted fields stay. A completed reminder that gets another time is active again. With `due_at` alone, a ' +
      'recurring reminder keeps its days if only the time of day changes, and otherwise continues from the new day, which ' +
      'must be one of its weekdays if it has several.',
    tag: 'Reminders',
    params: idParamsSchema,
    body: updateReminderSchema,
    response: { 200: reminderSchema },
    errors: [409],
  },
  'DELETE /reminders/:id': {
    access: 'agents',
    summary: 'Delete a reminder',
    description: 'Deletes all occurrences of a recurring reminder.',
    tag: 'Reminders',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /reminders/:id/snooze': {
    access: 'agents',
    respondsWithContent: true,
    summary: 'Snooze a reminder',
    tag: 'Reminders',
    params: idParamsSchema,
    body: snoozeReminderSchema,
    response: { 200: reminderSchema },
    errors: [409],
  },
  'POST /reminders/:id/complete': {
    access: 'agents',
    respondsWithContent: true,
    summary: 'Complete a reminder',
    description:
      'A recurring reminder moves to its next occurrence; delete it to end it. With `due_at`, the occurrence to ' +
      'complete, a reminder that is already past it is left unchanged.',
    tag: 'Reminders',
    params: idParamsSchema,
    body: completeReminderSchema.nullish(),
    response: { 200: reminderSchema },
    errors: [409],
  },
  'GET /notifications': {
    access: 'user',
    summary: 'List the notifications',
    description: 'Newest first; `unread` leaves out read ones. New ones are sent through /events.',
    tag: 'Notifications',
    query: notificationsQuerySchema,
    response: { 200: notificationsResponseSchema },
  },
  'POST /notifications/shown': {
    access: 'user',
    summary: 'Claim reminders to show',
    description:
      'For devices that show due reminders themselves: returns unread reminders that no other device of the caller ' +
      'has claimed, for one reminder (`subject_id`) or all.',
    tag: 'Notifications',
    body: notificationsShownSchema,
    response: { 200: notificationsShownResponseSchema },
  },
  'POST /notifications/read': {
    access: 'user',
    summary: 'Mark notifications as read',
    description: 'Without ids, all of them. Unknown ids and other users’ notifications are skipped.',
    tag: 'Notifications',
    body: notificationsReadSchema,
    response: { 204: noContentSchema },
  },
  'GET /push/key': {
    access: 'user',
    summary: 'Read the key that browsers subscribe with',
    tag: 'Notifications',
    response: { 200: pushKeySchema },
  },
  'GET /push/subscriptions': {
    access: 'user',
    summary: 'List the devices that get push messages',
    description: 'A device whose push service refuses messages gets none.',
    tag: 'Notifications',
    response: { 200: pushSubscriptionsSchema },
  },
  'POST /push/subscriptions': {
    // a subscription ends with its session, which a token does not have
    access: 'user',
    sessionOnly: true,
    summary: 'Subscribe a device to push messages',
    description:
      'About due reminders, finished long uploads, and answers. The subscription ends with the session that made ' +
      'it, and when the push service reports the device as gone.',
    tag: 'Notifications',
    body: createPushSubscriptionSchema,
    response: { 201: pushSubscriptionSchema },
  },
  'DELETE /push/subscriptions': {
    access: 'user',
    summary: 'Unsubscribe a device from push messages',
    tag: 'Notifications',
    body: removePushSubscriptionSchema,
    response: { 204: noContentSchema },
  },
})

export const automationRoutes = routes({
  'GET /automation/health': {
    access: 'admin',
    summary: 'Check that automation is available',
    tag: 'Automation',
    response: { 200: automationHealthSchema },
  },
  'GET /automation/status': {
    access: 'admin',
    summary: 'Read the status of the tasks',
    tag: 'Automation',
    response: { 200: automationStatusResponseSchema },
  },
  'GET /automation/runs': {
    access: 'admin',
    summary: 'List runs, newest first',
    tag: 'Automation',
    query: automationRunsQuerySchema,
    response: { 200: automationRunsResponseSchema },
  },
  'GET /automation/runs/:id': {
    access: 'admin',
    summary: 'Read a run with its steps and its log',
    tag: 'Automation',
    params: idParamsSchema,
    response: { 200: automationRunDetailSchema },
    errors: [404],
  },
  'GET /automation/runs/:id/dataset': {
    access: 'admin',
    summary: 'Download the training set of a run',
    description:
      'JSON Lines in the chat format. Answers that their user has since deleted, or no longer shares, are left out.',
    tag: 'Automation',
    params: idParamsSchema,
    file: 'application/jsonl',
    errors: [404],
  },
  'POST /automation/trigger': {
    access: 'admin',
    audit: 'task.triggered',
    summary: 'Run a task now',
    tag: 'Automation',
    body: triggerTaskSchema,
    response: { 202: triggerResponseSchema },
    errors: [409],
  },
  'POST /automation/runs/:id/cancel': {
    access: 'admin',
    audit: 'run.cancelled',
    summary: 'Cancel a run',
    description: 'A waiting run ends immediately, a running one within seconds.',
    tag: 'Automation',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [404, 409],
  },
  'POST /automation/runs/:id/retry': {
    access: 'admin',
    audit: 'run.retried',
    summary: 'Run the task of a run again',
    tag: 'Automation',
    params: idParamsSchema,
    response: { 202: triggerResponseSchema },
    errors: [404, 409],
  },
  'PUT /automation/tasks/:task_type': {
    access: 'admin',
    audit: 'task.changed',
    summary: 'Enable, disable or schedule a task',
    description: 'The schedule is a cron expression of five fields; with null, the task runs only when triggered.',
    tag: 'Automation',
    params: taskParamsSchema,
    body: updateTaskSchema,
    response: { 200: automationTaskSchema },
  },
  'GET /automation/summaries': {
    access: 'admin',
    summary: 'List the weekly summaries of the instance, newest first',
    tag: 'Automation',
    query: summariesQuerySchema,
    response: { 200: summariesResponseSchema },
  },
  'GET /me/summaries': {
    access: 'user',
    summary: 'List the weekly summaries of the caller, newest first',
    tag: 'My data',
    query: summariesQuerySchema,
    response: { 200: summariesResponseSchema },
  },
})
