import { z } from 'zod'
import { notificationKinds } from './constants/activity.ts'
import { idSchema } from './ids-and-pages.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

export const notificationKindSchema = z.enum(notificationKinds)

export const notificationSchema = z.object({
  id: z.uuid(),
  kind: notificationKindSchema,
  /** Parameters of the notification's sentence, such as a title, a count or a reason. */
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Reason in the notification, as codes with parameters, for translation. */
  told: z.array(codedSentenceSchema),
  /** Path of the web app; null when there is nothing to open. */
  link: z.string().nullable(),
  created_at: timestampSchema,
  read_at: timestampSchema.nullable(),
})
export type Notification = z.output<typeof notificationSchema>
export type NotificationJson = z.input<typeof notificationSchema>

/** GET /notifications: newest first. */
export const notificationsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(200).optional(),
  unread: z.stringbool().default(false),
})
export const notificationsResponseSchema = z.object({
  notifications: z.array(notificationSchema),
  next_cursor: z.string().nullable(),
  /** Number of unread notifications on all pages. */
  unread_count: z.number().int(),
})
export type NotificationsResponse = z.output<typeof notificationsResponseSchema>
export type NotificationsResponseJson = z.input<typeof notificationsResponseSchema>

/**
 * POST /notifications/shown: claims notifications for this device, so that no other device of the user shows them, too. With
 * `subject_id`, only those of one reminder.
 */
export const notificationsShownSchema = z.strictObject({ subject_id: idSchema.optional() })
export const notificationsShownResponseSchema = z.object({
  /** Notifications for this device to show, newest first; the others were shown on another device. */
  notifications: z.array(notificationSchema),
})
export type NotificationsShownResponse = z.output<typeof notificationsShownResponseSchema>
export type NotificationsShownResponseJson = z.input<typeof notificationsShownResponseSchema>

/** POST /notifications/read: all when `ids` is omitted. */
export const notificationsReadSchema = z.strictObject({ ids: z.array(idSchema).max(500).optional() })
