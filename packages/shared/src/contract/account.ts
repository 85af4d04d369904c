import {
  authorizationQuerySchema,
  consentQuestionSchema,
  consentResponseSchema,
  consentSchema,
  createFactSchema,
  deleteDataSchema,
  deletedDataSchema,
  exportQuerySchema,
  exportTicketSchema,
  factSchema,
  factsQuerySchema,
  factsResponseSchema,
  instructionsSchema,
  preferencesSchema,
  programsQuerySchema,
  programsResponseSchema,
  updateFactSchema,
  updateInstructionsSchema,
  updatePreferencesSchema,
} from '../account.ts'
import { auditFiltersSchema, auditQuerySchema, auditResponseSchema } from '../insights.ts'
import { idParamsSchema } from '../timestamp.ts'
import {
  createdHookSchema,
  createHookSchema,
  hookDeliveriesQuerySchema,
  hookDeliveriesResponseSchema,
  hookDeliverySchema,
  hooksQuerySchema,
  hooksResponseSchema,
} from '../webhooks.ts'
import { noContentSchema, routes } from './route.ts'

export const webhooksRoutes = routes({
  'GET /me/hooks': {
    access: 'user',
    summary: 'List the hooks',
    description: 'Newest first, each with what it was told last.',
    tag: 'Hooks',
    query: hooksQuerySchema,
    response: { 200: hooksResponseSchema },
  },
  'POST /me/hooks': {
    // it would go on sending after the token is revoked
    access: 'user',
    sessionOnly: true,
    summary: 'Add a hook',
    description:
      'The secret is shown in this answer alone. Deliveries are signed with it as Standard Webhooks says: `webhook-id`, ' +
      '`webhook-timestamp` and `webhook-signature`. `automation.run` is for administrators. An API token cannot add one.',
    tag: 'Hooks',
    body: createHookSchema,
    response: { 201: createdHookSchema },
    errors: [403, 409],
  },
  'DELETE /me/hooks/:id': {
    access: 'user',
    summary: 'Delete a hook',
    description: 'With its log, and with what waits to be delivered.',
    tag: 'Hooks',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /me/hooks/:id/test': {
    access: 'user',
    bound: 'hook_test',
    summary: 'Send a trial to a hook',
    description: 'Once, and at once: the answer tells what came of it.',
    tag: 'Hooks',
    params: idParamsSchema,
    response: { 200: hookDeliverySchema },
    errors: [429],
  },
  'GET /me/hooks/:id/deliveries': {
    access: 'user',
    summary: 'List what a hook was told',
    description: 'Newest first; kept for 30 days.',
    tag: 'Hooks',
    params: idParamsSchema,
    query: hookDeliveriesQuerySchema,
    response: { 200: hookDeliveriesResponseSchema },
  },
})

export const aboutMeRoutes = routes({
  'GET /me/instructions': {
    access: 'user',
    summary: 'Read what holds in every conversation of the caller',
    tag: 'My data',
    response: { 200: instructionsSchema },
  },
  'PATCH /me/instructions': {
    access: 'user',
    answersStored: true,
    summary: 'Change what holds in every conversation of the caller',
    description: 'What is left out stays; an empty text takes it back. It holds from the next answer on.',
    tag: 'My data',
    body: updateInstructionsSchema,
    response: { 200: instructionsSchema },
  },
  'GET /me/facts': {
    access: 'user',
    summary: 'List the remembered facts',
    description: 'The newest first. `query` is looked for in their texts.',
    tag: 'My data',
    query: factsQuerySchema,
    response: { 200: factsResponseSchema },
  },
  'POST /me/facts': {
    access: 'user',
    summary: 'Have a fact remembered',
    description: 'The same text again answers 200 with the fact that is there.',
    tag: 'My data',
    body: createFactSchema,
    response: { 200: factSchema, 201: factSchema },
    errors: [409],
  },
  'PATCH /me/facts/:id': {
    access: 'user',
    answersStored: true,
    summary: 'Change a remembered fact',
    tag: 'My data',
    params: idParamsSchema,
    body: updateFactSchema,
    response: { 200: factSchema },
  },
  'DELETE /me/facts/:id': {
    access: 'user',
    summary: 'Forget a remembered fact',
    tag: 'My data',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
})

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
