import { z } from 'zod'
import {
  backupSchema,
  backupsResponseSchema,
  backupTicketSchema,
  offsiteTestResponseSchema,
  offsiteTestSchema,
} from '../backups.ts'
import { userEventSchema } from '../events.ts'
import {
  activityQuerySchema,
  activityResponseSchema,
  analyticsQuerySchema,
  analyticsSchema,
  dashboardHealthSchema,
  overviewSchema,
} from '../insights.ts'
import { signedFileQuerySchema } from '../media.ts'
import { memoryLogFiltersSchema, memoryLogsQuerySchema, memoryLogsResponseSchema } from '../memory.ts'
import { confirmationSchema } from '../sign-in.ts'
import { configSchema, healthSchema, systemOverviewSchema } from '../system.ts'
import { noContentSchema, routes } from './route.ts'

/** Access for administrators with a session: a leaked token must not download or delete backups, which have everyone's data. */
const administration = { access: 'admin', sessionOnly: true } as const
const paramsSchema = z.object({ id: z.uuid() })

export const backupsRoutes = routes({
  'GET /admin/backups': {
    access: 'admin',
    summary: 'List the backups of the instance',
    description:
      'Newest first, with the one in progress and those that failed in the last 30 days. `next_at` is the time of ' +
      'the next scheduled backup, as set in the section `backups` of PUT /admin/settings.',
    tag: 'Admin',
    response: { 200: backupsResponseSchema },
  },
  'POST /admin/backups': {
    ...administration,
    audit: 'backup.begun',
    summary: 'Back up the instance',
    description:
      'Archives the database and all files as of one moment, in the background, while everything keeps running. ' +
      'GET /admin/backups shows its progress. 409 while one is in progress, 507 when there is not enough space.',
    tag: 'Admin',
    response: { 202: backupSchema },
    errors: [409, 503, 507],
  },
  'POST /admin/backups/offsite/test': {
    ...administration,
    audit: 'backup.offsite_tested',
    summary: 'Test an address for off-site copies',
    description:
      'Opens `s3://bucket/folder` or a folder of the server with the keys and passphrase set there, and writes to ' +
      'it.',
    tag: 'Admin',
    body: offsiteTestSchema,
    response: { 200: offsiteTestResponseSchema },
  },
  'POST /admin/backups/:id/ticket': {
    ...administration,
    audit: 'backup.ticket_made',
    summary: 'Create a link for downloading a backup',
    description:
      'The download must start within 60 seconds, and before the password changes or sessions are ended. Also ' +
      'needs `current_password` more than ten minutes after signing in.',
    tag: 'Admin',
    params: paramsSchema,
    body: confirmationSchema.nullish(),
    response: { 200: backupTicketSchema },
    errors: [403, 404, 429],
  },
  'GET /admin/backups/:id/file': {
    ...administration,
    signed: true,
    audit: 'backup.downloaded',
    summary: 'Download a backup',
    description:
      'It contains everyone’s data, including password hashes, but no sessions, no API tokens and not the secret ' +
      'of the instance. Keep it as safe as the instance. Opens with a link from …/ticket, or with a session in the ' +
      'ten minutes after signing in.',
    tag: 'Admin',
    params: paramsSchema,
    query: signedFileQuerySchema,
    file: 'application/zip',
    supportsRanges: true,
    errors: [403, 404],
  },
  'POST /admin/backups/:id/proof': {
    ...administration,
    audit: 'backup.proof_begun',
    summary: 'Test restoring a backup',
    description:
      'Loads it into an empty database in the background, checks its foreign keys and a sample of its files, and ' +
      'deletes that again. GET /admin/backups shows the result.',
    tag: 'Admin',
    params: paramsSchema,
    response: { 204: noContentSchema },
    errors: [404],
  },
  'DELETE /admin/backups/:id': {
    ...administration,
    audit: 'backup.deleted',
    summary: 'Delete a backup',
    tag: 'Admin',
    params: paramsSchema,
    response: { 204: noContentSchema },
    errors: [404, 409],
  },
})

export const insightsRoutes = routes({
  'GET /dashboard/overview': {
    access: 'user',
    summary: 'Read the four cards of the overview',
    tag: 'Dashboard',
    response: { 200: overviewSchema },
  },
  'GET /dashboard/activity': {
    access: 'user',
    summary: 'Read the caller’s recent activity',
    tag: 'Dashboard',
    query: activityQuerySchema,
    response: { 200: activityResponseSchema },
  },
  'GET /dashboard/health': {
    access: 'user',
    summary: 'Read which parts of this server work',
    tag: 'Dashboard',
    response: { 200: dashboardHealthSchema },
  },
  'GET /analytics': {
    access: 'analytics',
    summary: 'Read use and performance over a period',
    description: 'Days and hours are in the time zone of X-Time-Zone.',
    tag: 'Dashboard',
    query: analyticsQuerySchema,
    response: { 200: analyticsSchema },
    errors: [404],
  },
  'GET /memory/logs': {
    access: 'upload',
    summary: 'Read what the caller asked, added, searched and called',
    description:
      'Newest first. Filters are combined with AND; `range` is read in the caller’s time zone. Values that were ' +
      'not measured, or were deleted with their source, are null. The figures in `stats` do not depend on the ' +
      'filters.',
    tag: 'Dashboard',
    query: memoryLogsQuerySchema,
    response: { 200: memoryLogsResponseSchema },
  },
  'GET /memory/logs/export': {
    access: 'upload',
    userLimit: 'export',
    summary: 'Export the memory log as a CSV file',
    description: 'UTF-8, RFC 4180; a cell that a spreadsheet would take for a formula starts with an apostrophe.',
    tag: 'Dashboard',
    query: memoryLogFiltersSchema,
    file: 'text/csv',
  },
})

const docsFileParamsSchema = z.object({
  file: z.enum(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'docs-page.js', 'docs-page.css']),
})

export const systemRoutes = routes({
  'GET /health': {
    access: 'public',
    identifiesCaller: true,
    summary: 'Read whether the server works',
    description:
      '200 even when a part does not work: `status` is then `degraded`. A server that is shutting down responds ' +
      '503, so that requests go to others. Only administrators see the addresses of servers.',
    tag: 'Start',
    response: { 200: healthSchema, 503: healthSchema },
  },
  'GET /config': {
    access: 'public',
    summary: 'Read what a client needs before sign-in',
    tag: 'Start',
    response: { 200: configSchema },
  },
  'GET /openapi.json': {
    access: 'public',
    summary: 'Read this document',
    tag: 'Start',
    response: { 200: z.looseObject({ openapi: z.string() }) },
  },
  'GET /metrics': {
    access: 'admin',
    summary: 'Read the Prometheus metrics of this process',
    description:
      'Counts and times, nothing about users’ actions or content. `METRICS=open` opens it to anyone who reaches ' +
      'the server.',
    tag: 'Start',
    file: 'text/plain',
  },
  'GET /admin/system': {
    access: 'admin',
    summary: 'Read measurements of the instance and of this server',
    description: 'Each server stores a sample every five minutes; values that were not measured are null.',
    tag: 'Admin',
    response: { 200: systemOverviewSchema },
  },
  'GET /docs': {
    access: 'public',
    summary: 'Open the interactive page of this document',
    tag: 'Start',
    file: 'text/html',
  },
  'GET /docs/:file': {
    access: 'public',
    summary: 'Load a file of that page',
    tag: 'Start',
    params: docsFileParamsSchema,
    file: ['text/css', 'text/javascript', 'image/png'],
  },
  'GET /events': {
    access: 'user',
    userLimit: 'stream',
    summary: 'Stream the caller’s events',
    description:
      'Events are not stored for clients that are not connected: after reconnecting, reload what is shown. ' +
      '`events.connected` comes first and says how long ago the last event was.',
    tag: 'Events',
    events: userEventSchema,
    errors: [429],
  },
})
