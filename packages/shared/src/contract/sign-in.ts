import { z } from 'zod'
import {
  acceptInvitationSchema,
  confirmationSchema,
  createInvitationSchema,
  createPasskeySchema,
  invitationLookSchema,
  invitationSchema,
  lookAtInvitationSchema,
  oidcBeginSchema,
  oidcFinishSchema,
  oidcStartSchema,
  passkeyOptionsSchema,
  passkeySchema,
  passkeySignInSchema,
  recoveryCodesSchema,
  renamePasskeySchema,
  totpConfirmSchema,
  totpDraftSchema,
  totpSignInSchema,
  totpStateSchema,
} from '../sign-in.ts'
import { idParamsSchema, pageQuerySchema } from '../timestamp.ts'
import { loginResponseSchema } from '../users.ts'
import { nextCursorHeader, noContentSchema, routes } from './route.ts'

const sessionOnly = { access: 'user', sessionOnly: true } as const
const freshness = 'More than ten minutes after signing in `current_password` is needed as well.'
const administrators = { access: 'admin', sessionOnly: true, audit: false } as const

export const signInRoutes = routes({
  'POST /auth/passkeys/options': {
    access: 'public',
    summary: 'Begin to sign in with a passkey',
    description:
      '`options` go to the browser; its answer and `ticket` come to /auth/passkeys/sign-in within five minutes.',
    tag: 'Auth',
    response: { 200: passkeyOptionsSchema },
    errors: [404, 429],
  },
  'POST /auth/passkeys/sign-in': {
    access: 'public',
    summary: 'Sign in with a passkey',
    description: 'No code is asked for: the device has checked a finger, a face or a PIN.',
    tag: 'Auth',
    body: passkeySignInSchema,
    response: { 200: loginResponseSchema },
    errors: [401, 404, 429],
  },
  'GET /auth/passkeys': {
    ...sessionOnly,
    summary: 'List the passkeys of the caller',
    tag: 'Auth',
    response: { 200: z.array(passkeySchema) },
    errors: [403],
  },
  'POST /auth/passkeys/registration': {
    ...sessionOnly,
    summary: 'Begin to add a passkey',
    description: 'More than ten minutes after signing in `current_password` is needed as well.',
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
    description: 'It does not sign in any more. Sessions that it began go on until they are ended.',
    tag: 'Auth',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
  'POST /auth/totp/sign-in': {
    access: 'public',
    summary: 'Sign in with a code',
    description:
      'Takes the `challenge` that /auth/login answered, and the six digits of the app or a recovery code. Each ' +
      'code is taken once.',
    tag: 'Auth',
    body: totpSignInSchema,
    response: { 200: loginResponseSchema },
    errors: [401, 429, 503],
  },
  'GET /auth/totp': {
    ...sessionOnly,
    summary: 'Read whether codes are asked for',
    tag: 'Auth',
    response: { 200: totpStateSchema },
    errors: [403],
  },
  'POST /auth/totp': {
    ...sessionOnly,
    summary: 'Begin to set codes up',
    description: `Nothing is asked for until /auth/totp/confirm took a first code. ${freshness}`,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 200: totpDraftSchema },
    errors: [403, 409, 429],
  },
  'POST /auth/totp/confirm': {
    ...sessionOnly,
    audit: 'codes.turned_on',
    summary: 'Turn codes on',
    description: 'The recovery codes are shown in this answer and never again.',
    tag: 'Auth',
    body: totpConfirmSchema,
    response: { 200: recoveryCodesSchema },
    errors: [403, 409, 429, 503],
  },
  'POST /auth/totp/recovery-codes': {
    ...sessionOnly,
    audit: 'recovery_codes.renewed',
    summary: 'Make new recovery codes',
    description: `Those before open nothing any more. ${freshness}`,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 200: recoveryCodesSchema },
    errors: [403, 409, 429],
  },
  'DELETE /auth/totp': {
    ...sessionOnly,
    audit: 'codes.turned_off',
    summary: 'Turn codes off',
    description: freshness,
    tag: 'Auth',
    body: confirmationSchema,
    response: { 204: noContentSchema },
    errors: [403, 429],
  },
  'POST /auth/oidc/start': {
    access: 'public',
    summary: 'Begin to sign in at the provider',
    description:
      'The browser keeps `ticket`, goes to `url`, and comes back to PUBLIC_URL/login/oidc; the query of that ' +
      'address and the ticket go to /auth/oidc/finish within ten minutes. With `invitation`, the secret of an ' +
      'invitation’s link, a newcomer’s sign-in accepts that invitation.',
    tag: 'Auth',
    body: oidcBeginSchema.nullish(),
    response: { 200: oidcStartSchema },
    errors: [404, 429, 503],
  },
  'POST /auth/oidc/finish': {
    access: 'public',
    summary: 'Sign in as whom the provider sent back',
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
    answerHeaders: nextCursorHeader,
  },
  'POST /admin/invitations': {
    ...administrators,
    summary: 'Invite somebody',
    description:
      'They choose their own name and password at `url`, which is PUBLIC_URL/invitation#<token>. Both are shown in this ' +
      'answer and never again. It ends with the access of the administrator who made it. Inviting an administrator ' +
      'takes `current_password`, one’s own, more than ten minutes after signing in; administrators are notified of it.',
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
    body: lookAtInvitationSchema,
    response: { 200: invitationLookSchema },
    errors: [404, 429],
  },
  'POST /auth/invitations/accept': {
    access: 'public',
    summary: 'Accept an invitation',
    description:
      'Makes the account with a name and a password of one’s own, and signs in to it. Where passwords are off and a ' +
      'provider is connected, 403 `passwords_off` for anyone but administrators: /auth/oidc/start takes the invitation.',
    tag: 'Auth',
    body: acceptInvitationSchema,
    response: { 201: loginResponseSchema },
    errors: [403, 404, 409, 429],
  },
})
