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
  removePushSubscriptionSchema,
} from '../push.ts'
import {
  createReminderSchema,
  reminderSchema,
  remindersQuerySchema,
  remindersResponseSchema,
  snoozeReminderSchema,
  updateReminderSchema,
} from '../reminders.ts'
import { idParamsSchema } from '../timestamp.ts'
import { noContentSchema, routes } from './route.ts'

export const remindersRoutes = routes({
  'GET /reminders': {
    access: 'agents',
    summary: 'List the reminders',
    description: 'Active ones by when they are due, the next one first; completed ones newest first.',
    tag: 'Reminders',
    query: remindersQuerySchema,
    response: { 200: remindersResponseSchema },
  },
  'POST /reminders': {
    access: 'agents',
    summary: 'Add a reminder',
    description:
      'With a recurrence it is first told at its first time at or after due_at, and keeps its time of day in its ' +
      'zone. When it is due it comes through /events and waits as a notification.',
    tag: 'Reminders',
    body: createReminderSchema,
    response: { 201: reminderSchema },
    errors: [409],
  },
  'PATCH /reminders/:id': {
    access: 'agents',
    answersStored: true,
    summary: 'Change a reminder',
    description: 'What is left out stays. One that was completed and gets another time is active again.',
    tag: 'Reminders',
    params: idParamsSchema,
    body: updateReminderSchema,
    response: { 200: reminderSchema },
    errors: [409],
  },
  'DELETE /reminders/:id': {
    access: 'agents',
    summary: 'Delete a reminder',
    description: 'Of one that recurs, all its times.',
    tag: 'Reminders',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /reminders/:id/snooze': {
    access: 'agents',
    answersStored: true,
    summary: 'Be told again later',
    tag: 'Reminders',
    params: idParamsSchema,
    body: snoozeReminderSchema,
    response: { 200: reminderSchema },
    errors: [409],
  },
  'POST /reminders/:id/complete': {
    access: 'agents',
    answersStored: true,
    summary: 'Complete a reminder',
    description: 'One that recurs moves to its next time; delete it to end it.',
    tag: 'Reminders',
    params: idParamsSchema,
    response: { 200: reminderSchema },
    errors: [409],
  },
  'GET /notifications': {
    access: 'user',
    summary: 'List the notifications',
    description: 'Newest first; `unread` leaves out those that were read. New ones come through /events.',
    tag: 'Notifications',
    query: notificationsQuerySchema,
    response: { 200: notificationsResponseSchema },
  },
  'POST /notifications/shown': {
    access: 'user',
    summary: 'Claim reminders to show',
    description:
      'For a device that shows what came due by itself: gives unread reminders that no other device of the caller has claimed, of one reminder (`subject_id`) or all.',
    tag: 'Notifications',
    body: notificationsShownSchema,
    response: { 200: notificationsShownResponseSchema },
  },
  'POST /notifications/read': {
    access: 'user',
    summary: 'Mark notifications as read',
    description: 'All of them without ids; ids that are not there, or not the caller’s, are left out.',
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
  'POST /push/subscriptions': {
    // it ends with the session, and nothing could end it for a token
    access: 'user',
    sessionOnly: true,
    summary: 'Have a device told',
    description:
      'Of reminders that are due, of long uploads that are done, and of answers. It ends with the session that asked ' +
      'for it, and when the push service says that the device is gone.',
    tag: 'Notifications',
    body: createPushSubscriptionSchema,
    response: { 201: pushSubscriptionSchema },
  },
  'DELETE /push/subscriptions': {
    access: 'user',
    summary: 'Have a device told no more',
    tag: 'Notifications',
    body: removePushSubscriptionSchema,
    response: { 204: noContentSchema },
  },
})
