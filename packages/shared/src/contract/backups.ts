import { z } from 'zod'
import {
  backupSchema,
  backupsResponseSchema,
  backupTicketSchema,
  offsiteTestResponseSchema,
  offsiteTestSchema,
} from '../backups.ts'
import { signedFileQuerySchema } from '../media.ts'
import { confirmationSchema } from '../sign-in.ts'
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
