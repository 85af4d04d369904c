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
import { idParamsSchema } from '../ids-and-pages.ts'
import { auditFiltersSchema, auditQuerySchema, auditResponseSchema } from '../insights.ts'
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
    description: 'Newest first, each with its latest delivery.',
    tag: 'Hooks',
    query: hooksQuerySchema,
    response: { 200: hooksResponseSchema },
  },
  'POST /me/hooks': {
    // a hook would go on sending after the token is revoked
    access: 'user',
    sessionOnly: true,
    summary: 'Add a hook',
    description:
      'The secret is shown in this response only. It signs deliveries as specified by Standard Webhooks: ' +
      '`webhook-id`, `webhook-timestamp` and `webhook-signature`. `automation.run` is for administrators. API ' +
      'tokens cannot add hooks.',
    tag: 'Hooks',
    body: createHookSchema,
    response: { 201: createdHookSchema },
    errors: [403, 409],
  },
  'DELETE /me/hooks/:id': {
    access: 'user',
    summary: 'Delete a hook',
    description: 'Its log and pending deliveries are deleted, too.',
    tag: 'Hooks',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /me/hooks/:id/test': {
    access: 'user',
    userLimit: 'hook_test',
    summary: 'Send a test event to a hook',
    description: 'Sends it once, immediately; the response is the result.',
    tag: 'Hooks',
    params: idParamsSchema,
    response: { 200: hookDeliverySchema },
    errors: [429],
  },
  'GET /me/hooks/:id/deliveries': {
    access: 'user',
    summary: 'List the deliveries to a hook',
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
    summary: 'Read the caller’s instructions for all conversations',
    tag: 'My data',
    response: { 200: instructionsSchema },
  },
  'PATCH /me/instructions': {
    access: 'user',
    respondsWithContent: true,
    summary: 'Change the caller’s instructions for all conversations',
    description: 'Omitted fields stay; an empty text removes the instructions. Changes apply from the next answer on.',
    tag: 'My data',
    body: updateInstructionsSchema,
    response: { 200: instructionsSchema },
  },
  'GET /me/facts': {
    access: 'user',
    summary: 'List the remembered facts',
    description: 'Newest first. `query` searches their texts.',
    tag: 'My data',
    query: factsQuerySchema,
    response: { 200: factsResponseSchema },
  },
  'POST /me/facts': {
    access: 'user',
    summary: 'Remember a fact',
    description: '200 with the existing fact when the same text is already remembered.',
    tag: 'My data',
    body: createFactSchema,
    response: { 200: factSchema, 201: factSchema },
    errors: [409],
  },
  'PATCH /me/facts/:id': {
    access: 'user',
    respondsWithContent: true,
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

const sessionOnly = { access: 'user', sessionOnly: true } as const

export const accountRoutes = routes({
  'GET /me/preferences': {
    access: 'user',
    summary: 'Read the caller’s preferences',
    tag: 'My data',
    response: { 200: preferencesSchema },
  },
  'PATCH /me/preferences': {
    access: 'user',
    summary: 'Change the caller’s preferences for all of their devices',
    tag: 'My data',
    body: updatePreferencesSchema,
    response: { 200: preferencesSchema },
  },
  'POST /me/export': {
    // the link lets its user read, and changes nothing
    access: 'user',
    scope: 'read',
    summary: 'Create a link for downloading an export of all the caller’s data',
    description: 'The link works for five minutes. A script can call GET /me/export with its token instead.',
    tag: 'My data',
    response: { 200: exportTicketSchema },
  },
  'GET /me/export': {
    access: 'user',
    signed: true,
    userLimit: 'whole_export',
    summary: 'Export all the caller’s data',
    description:
      'A ZIP archive of any size: every row as JSON, conversations as Markdown, the originals of all files, and a ' +
      'manifest with the SHA-256 of each. At most three can start per minute.',
    tag: 'My data',
    query: exportQuerySchema,
    file: 'application/zip',
    errors: [429],
  },
  'DELETE /me/data': {
    access: 'user',
    sessionOnly: true,
    summary: 'Delete all the caller’s data, but not the account',
    tag: 'My data',
    body: deleteDataSchema,
    response: { 200: deletedDataSchema },
    errors: [403, 429],
  },
  'GET /admin/audit': {
    access: 'admin',
    summary: 'Read the audit log',
    description:
      'Administrative actions, and every sign-in, failed sign-in, session and token; newest first. Entries are ' +
      'never changed, and are deleted at the age set in the settings.',
    tag: 'Admin',
    query: auditQuerySchema,
    response: { 200: auditResponseSchema },
  },
  'GET /admin/audit/export': {
    access: 'admin',
    userLimit: 'export',
    audit: 'audit.exported',
    summary: 'Export the audit log as a CSV file',
    description: 'UTF-8, RFC 4180; a cell that a spreadsheet would take for a formula starts with an apostrophe.',
    tag: 'Admin',
    query: auditFiltersSchema,
    file: 'text/csv',
  },
  'GET /oauth/consent': {
    ...sessionOnly,
    userLimit: 'consent',
    summary: 'Read which program requests access, and to what',
    description: 'Takes the query with which the program sent the browser to /oauth/authorize.',
    tag: 'Auth',
    query: authorizationQuerySchema,
    response: { 200: consentQuestionSchema },
    errors: [400, 403, 429],
  },
  'POST /oauth/consent': {
    ...sessionOnly,
    userLimit: 'consent',
    summary: 'Grant or refuse access to a program',
    description: 'The browser continues at `redirect_to`, the address of the program with the decision.',
    tag: 'Auth',
    body: consentSchema,
    response: { 200: consentResponseSchema },
    errors: [400, 403, 409, 429],
  },
  'GET /me/programs': {
    ...sessionOnly,
    summary: 'List the programs that have access',
    description: 'Newest first: programs to which the caller granted access by OAuth.',
    tag: 'Auth',
    query: programsQuerySchema,
    response: { 200: programsResponseSchema },
    errors: [403],
  },
  'DELETE /me/programs/:id': {
    ...sessionOnly,
    summary: 'Revoke the access of a program',
    description: 'Immediately, with all of its tokens.',
    tag: 'Auth',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
})
