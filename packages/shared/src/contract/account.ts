import { deleteDataSchema, deletedDataSchema, exportQuerySchema, exportTicketSchema } from '../account.ts'
import { auditFiltersSchema, auditQuerySchema, auditResponseSchema } from '../audit.ts'
import {
  authorizationQuerySchema,
  consentQuestionSchema,
  consentResponseSchema,
  consentSchema,
  programsQuerySchema,
  programsResponseSchema,
} from '../oauth.ts'
import { preferencesSchema, updatePreferencesSchema } from '../preferences.ts'
import { idParamsSchema } from '../timestamp.ts'
import { noContentSchema, routes } from './route.ts'

const config = { access: 'user', sessionOnly: true } as const

export const accountRoutes = routes({
  'GET /me/preferences': {
    access: 'user',
    summary: 'Read what the caller chose',
    tag: 'My data',
    response: { 200: preferencesSchema },
  },
  'PATCH /me/preferences': {
    access: 'user',
    summary: 'Change what the caller chose, for all of their devices',
    tag: 'My data',
    body: updatePreferencesSchema,
    response: { 200: preferencesSchema },
  },
  'POST /me/export': {
    // what it gives out is read
    access: 'user',
    scope: 'read',
    summary: 'Make an address that a browser loads an export of everything from',
    description: 'It opens for five minutes. A script can read GET /me/export with its token at once.',
    tag: 'My data',
    response: { 200: exportTicketSchema },
  },
  'GET /me/export': {
    access: 'user',
    signed: true,
    bound: 'whole_export',
    summary: 'Export everything that is the caller’s',
    description:
      'A ZIP archive of any size: every row as JSON, conversations as Markdown, the originals of all files, and a manifest ' +
      'with the SHA-256 of each. At most three begin in a minute.',
    tag: 'My data',
    query: exportQuerySchema,
    file: 'application/zip',
    errors: [429],
  },
  'DELETE /me/data': {
    access: 'user',
    sessionOnly: true,
    summary: 'Delete everything that is the caller’s, but not the account',
    tag: 'My data',
    body: deleteDataSchema,
    response: { 200: deletedDataSchema },
    errors: [403, 429],
  },
  'GET /admin/audit': {
    access: 'admin',
    summary: 'Read the audit log',
    description:
      'What administrators did, and every sign-in, failed one, session and token; newest first. Lines are only ever ' +
      'added, and go when they are older than the settings keep them.',
    tag: 'Admin',
    query: auditQuerySchema,
    response: { 200: auditResponseSchema },
  },
  'GET /admin/audit/export': {
    access: 'admin',
    bound: 'export',
    audit: 'audit.exported',
    summary: 'Export the same as a CSV file',
    description: 'UTF-8, RFC 4180; what a spreadsheet would take for a formula is led by an apostrophe.',
    tag: 'Admin',
    query: auditFiltersSchema,
    file: 'text/csv',
  },
  'GET /oauth/consent': {
    ...config,
    bound: 'consent',
    summary: 'Read which program asks for what',
    description: 'The query is the one that the program sent the browser with to /oauth/authorize.',
    tag: 'Auth',
    query: authorizationQuerySchema,
    response: { 200: consentQuestionSchema },
    errors: [400, 403, 429],
  },
  'POST /oauth/consent': {
    ...config,
    bound: 'consent',
    summary: 'Agree that a program gets access, or refuse',
    description: 'The browser goes on to `redirect_to`, the address of the program with what was said.',
    tag: 'Auth',
    body: consentSchema,
    response: { 200: consentResponseSchema },
    errors: [400, 403, 409, 429],
  },
  'GET /me/programs': {
    ...config,
    summary: 'List the programs that have access',
    description: 'Newest first: those that the caller let in by OAuth.',
    tag: 'Auth',
    query: programsQuerySchema,
    response: { 200: programsResponseSchema },
    errors: [403],
  },
  'DELETE /me/programs/:id': {
    ...config,
    summary: 'End the access of a program',
    description: 'At once, with every token of it.',
    tag: 'Auth',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
})
