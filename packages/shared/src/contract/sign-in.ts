import { z } from 'zod'
import { idParamsSchema, pageQuerySchema } from '../ids-and-pages.ts'
import {
  acceptInvitationSchema,
  confirmationSchema,
  createInvitationSchema,
  createPasskeySchema,
  invitationPreviewSchema,
  invitationSchema,
  oidcFinishSchema,
  oidcStartRequestSchema,
  oidcStartResponseSchema,
  passkeyOptionsSchema,
  passkeySchema,
  passkeySignInSchema,
  previewInvitationSchema,
  recoveryCodesSchema,
  renamePasskeySchema,
  totpConfirmSchema,
  totpDraftSchema,
  totpSignInSchema,
  totpStateSchema,
} from '../sign-in.ts'
import { loginResponseSchema } from '../users.ts'
import { nextCursorHeader, noContentSchema, routes } from './route.ts'

const sessionOnly = { access: 'user', sessionOnly: true } as const
const FRESHNESS = 'Also needs `current_password` more than ten minutes after signing in.'
const administrators = { access: 'admin', sessionOnly: true, audit: false } as const

export const signInRoutes = routes({
  'POST /auth/passkeys/options': {
    access: 'public',
    summary: 'Start signing in with a passkey',
    description:
      'Pass `options` to the browser, and send its response and `ticket` to /auth/passkeys/sign-in within five ' +
      'minutes.',
    tag: 'Auth',
    response: { 200: passkeyOptionsSchema },
    errors: [404, 429],
  },
  'POST /auth/passkeys/sign-in': {
    access: 'public',
    summary: 'Sign in with a passkey',
    description: 'No code is needed: the device has checked a fingerprint, a face or a PIN.',
    tag: 'Auth',
    body: passkeySignInSchema,
    response: { 200: loginResponseSchema },
    errors: [401, 404, 429],
  },
  'GET /auth/passkeys': {
    ...sessionOnly,
    summary: 'List the caller’s passkeys',
    tag: 'Auth',
    response: { 200: z.array(passkeySchema) },
    errors: [403],
  },
  'POST /auth/passkeys/registration': {
    ...sessionOnly,
    summary: 'Start adding a passkey',
    description: FRESHNESS,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 200: passkeyOptionsSchema },
    errors: [403, 404, 409, 429],
  },
  'POST /auth/passkeys': {
    ...sessionOnly,
    audit: 'passkey.added',
    summary: 'Add a passkey',
    tag: 'Auth',
    body: createPasskeySchema,
    response: { 201: passkeySchema },
    errors: [401, 403, 404, 409],
  },
  'PATCH /auth/passkeys/:id': {
    ...sessionOnly,
    audit: 'passkey.renamed',
    summary: 'Rename a passkey',
    tag: 'Auth',
    params: idParamsSchema,
    body: renamePasskeySchema,
    response: { 200: passkeySchema },
    errors: [403],
  },
  'DELETE /auth/passkeys/:id': {
    ...sessionOnly,
    audit: 'passkey.removed',
    summary: 'Remove a passkey',
    description: 'It can no longer sign in. Sessions that it started continue until they are ended.',
    tag: 'Auth',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
  'POST /auth/totp/sign-in': {
    access: 'public',
    summary: 'Sign in with a code',
    description:
      'Takes the `challenge` of /auth/login, and the six digits of the app or a recovery code. Each code is ' +
      'accepted once.',
    tag: 'Auth',
    body: totpSignInSchema,
    response: { 200: loginResponseSchema },
    errors: [401, 429, 503],
  },
  'GET /auth/totp': {
    ...sessionOnly,
    summary: 'Read whether sign-in needs codes',
    tag: 'Auth',
    response: { 200: totpStateSchema },
    errors: [403],
  },
  'POST /auth/totp': {
    ...sessionOnly,
    summary: 'Start setting up codes',
    description: `No code is needed until /auth/totp/confirm has accepted a first one. ${FRESHNESS}`,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 200: totpDraftSchema },
    errors: [403, 409, 429],
  },
  'POST /auth/totp/confirm': {
    ...sessionOnly,
    audit: 'codes.turned_on',
    summary: 'Turn on codes',
    description: 'The recovery codes are shown in this response only.',
    tag: 'Auth',
    body: totpConfirmSchema,
    response: { 200: recoveryCodesSchema },
    errors: [403, 409, 429, 503],
  },
  'POST /auth/totp/recovery-codes': {
    ...sessionOnly,
    audit: 'recovery_codes.renewed',
    summary: 'Create new recovery codes',
    description: `Earlier ones stop working. ${FRESHNESS}`,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 200: recoveryCodesSchema },
    errors: [403, 409, 429],
  },
  'DELETE /auth/totp': {
    ...sessionOnly,
    audit: 'codes.turned_off',
    summary: 'Turn off codes',
    description: FRESHNESS,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 204: noContentSchema },
    errors: [403, 429],
  },
  'POST /auth/oidc/start': {
    access: 'public',
    summary: 'Start signing in with the provider',
    description:
      'The browser keeps `ticket`, goes to `url`, and returns to PUBLIC_URL/login/oidc; send the query of that ' +
      'address and the ticket to /auth/oidc/finish within ten minutes. With `invitation`, the secret of an ' +
      'invitation’s link, a new user’s sign-in accepts that invitation.',
    tag: 'Auth',
    body: oidcStartRequestSchema.nullish(),
    response: { 200: oidcStartResponseSchema },
    errors: [404, 429, 503],
  },
  'POST /auth/oidc/link': {
    ...sessionOnly,
    summary: 'Start linking the provider to the account',
    description:
      'As /auth/oidc/start. Finishing links the account at the provider instead of an earlier one, and signs in. ' +
      FRESHNESS,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 200: oidcStartResponseSchema },
    errors: [403, 404, 429, 503],
  },
  'POST /auth/oidc/finish': {
    access: 'public',
    summary: 'Finish signing in with the provider',
    tag: 'Auth',
    body: oidcFinishSchema,
    response: { 200: loginResponseSchema },
    errors: [401, 403, 404, 409, 429, 503],
  },
  'GET /admin/invitations': {
    ...administrators,
    summary: 'List the invitations',
    tag: 'Admin',
    query: pageQuerySchema,
    response: { 200: z.array(invitationSchema) },
    responseHeaders: nextCursorHeader,
  },
  'POST /admin/invitations': {
    ...administrators,
    summary: 'Invite someone',
    description:
      'They choose their own name and password at `url`, which is PUBLIC_URL/invitation#<token>. Both are shown in ' +
      'this response only. The invitation ends with the access of the administrator who made it. Inviting an ' +
      'administrator needs `current_password`, the caller’s own, more than ten minutes after signing in; ' +
      'administrators are notified of it.',
    tag: 'Admin',
    body: createInvitationSchema,
    response: { 201: invitationSchema },
    errors: [403, 409, 429],
  },
  'DELETE /admin/invitations/:id': {
    ...administrators,
    summary: 'Revoke an invitation',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /auth/invitations/look': {
    access: 'public',
    summary: 'Read what an invitation offers',
    tag: 'Auth',
    body: previewInvitationSchema,
    response: { 200: invitationPreviewSchema },
    errors: [404, 429],
  },
  'POST /auth/invitations/accept': {
    access: 'public',
    summary: 'Accept an invitation',
    description:
      'Creates the account with a chosen name and password, and signs in. Where passwords are off and a provider ' +
      'is connected, 403 `passwords_off` for anyone but administrators: pass the invitation to /auth/oidc/start ' +
      'instead.',
    tag: 'Auth',
    body: acceptInvitationSchema,
    response: { 201: loginResponseSchema },
    errors: [403, 404, 409, 429],
  },
})
