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

/** An archive holds everything of everybody: a token that leaked must not bring it along, or remove it. */
const administration = { access: 'admin', sessionOnly: true } as const
const paramsSchema = z.object({ id: z.uuid() })

export const backupsRoutes = routes({
  'GET /admin/backups': {
    access: 'admin',
    summary: 'List the backups of the instance',
    description:
      'Newest first, with the one that is being made and those that failed in the last 30 days. `next_at` tells when the ' +
      'next one is made by itself, as the section `backups` of PUT /admin/settings says.',
    tag: 'Admin',
    response: { 200: backupsResponseSchema },
  },
  'POST /admin/backups': {
    ...administration,
    audit: 'backup.begun',
    summary: 'Back up the instance',
    description:
      'Makes an archive of the database and all files as they are at one moment, in the background, while everything ' +
      'goes on. GET /admin/backups tells how far it is. 409 while one is being made, 507 when there is no room.',
    tag: 'Admin',
    response: { 202: backupSchema },
    errors: [409, 507],
  },
  'POST /admin/backups/offsite/test': {
    ...administration,
    audit: 'backup.offsite_tested',
    summary: 'Test an address for off-site copies',
    description:
      'Opens `s3://bucket/folder` or a folder of the server with the keys and passphrase set there, and writes to it.',
    tag: 'Admin',
    body: offsiteTestSchema,
    response: { 200: offsiteTestResponseSchema },
  },
  'POST /admin/backups/:id/ticket': {
    ...administration,
    audit: 'backup.ticket_made',
    summary: 'Make an address that a browser downloads a backup from',
    description:
      'The download must begin within 60 seconds, and before the password changes or sessions are ended. More than ten ' +
      'minutes after signing in `current_password` is needed as well.',
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
      'It holds everything of everybody, hashes of passwords included; sessions, API tokens and the secret of the ' +
      'instance stay out. Keep it as safe as the instance. Opens with an address of …/ticket, or with a session in the ' +
      'ten minutes after signing in.',
    tag: 'Admin',
    params: paramsSchema,
    query: signedFileQuerySchema,
    file: 'application/zip',
    inRanges: true,
    errors: [403, 404],
  },
  'POST /admin/backups/:id/proof': {
    ...administration,
    audit: 'backup.proof_begun',
    summary: 'Try to restore a backup',
    description:
      'Loads it into an empty database in the background, checks its foreign keys and a sample of its files, and ' +
      'deletes that again. GET /admin/backups tells how it went.',
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
    summary: 'Read what the caller did last',
    tag: 'Dashboard',
    query: activityQuerySchema,
    response: { 200: activityResponseSchema },
  },
  'GET /dashboard/health': {
    access: 'user',
    summary: 'Read what works on this server',
    tag: 'Dashboard',
    response: { 200: dashboardHealthSchema },
  },
  'GET /analytics': {
    access: 'analytics',
    summary: 'Read how use and performance changed over a period',
    description: 'Days and hours are those of the time zone that X-Time-Zone names.',
    tag: 'Dashboard',
    query: analyticsQuerySchema,
    response: { 200: analyticsSchema },
    errors: [404],
  },
  'GET /memory/logs': {
    access: 'upload',
    summary: 'Read what the caller asked, added, searched and called',
    description:
      'Newest first. All filters combine; `range` is read in the time zone of the caller. What was not measured, or ' +
      `went with its source, is null. The figures in \`stats\` do not depend on the filters.`,
    tag: 'Dashboard',
    query: memoryLogsQuerySchema,
    response: { 200: memoryLogsResponseSchema },
  },
  'GET /memory/logs/export': {
    access: 'upload',
    bound: 'export',
    summary: 'Export the same as a CSV file',
    description: 'UTF-8, RFC 4180; what a spreadsheet would take for a formula is led by an apostrophe.',
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
    tellsCaller: true,
    summary: 'Read whether the server works',
    description:
      'Answers 200 also when a part does not work: `status` is `degraded` then. A server that is about to end answers 503, so that others get its requests. Addresses of servers are told to administrators alone.',
    tag: 'Start',
    response: { 200: healthSchema, 503: healthSchema },
  },
  'GET /config': {
    access: 'public',
    summary: 'Read what a client needs before anybody signs in',
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
    summary: 'Read the figures of this process for Prometheus',
    description:
      'Counts and times, nothing of what people do or hold. `METRICS=open` opens it to everybody who reaches the server.',
    tag: 'Start',
    file: 'text/plain',
  },
  'GET /admin/system': {
    access: 'admin',
    summary: 'Read what was measured of the instance and of this server',
    description: 'Each server keeps a sample of itself every five minutes; what none measured is null.',
    tag: 'Admin',
    response: { 200: systemOverviewSchema },
  },
  'GET /docs': {
    access: 'public',
    summary: 'Open a page to read this document and to try it',
    tag: 'Start',
    file: 'text/html',
  },
  'GET /docs/:file': {
    access: 'public',
    summary: 'Read a file of that page',
    tag: 'Start',
    params: docsFileParamsSchema,
    file: ['text/css', 'text/javascript', 'image/png'],
  },
  'GET /events': {
    access: 'user',
    bound: 'stream',
    summary: 'Follow what happens',
    description:
      'One stream of what happens to the caller’s things. Events that come while nobody listens are not kept: ' +
      'after connecting again, read what is shown anew. `events.connected` comes first and says how long ago the last ' +
      'one was.',
    tag: 'Events',
    events: userEventSchema,
    errors: [429],
  },
})
