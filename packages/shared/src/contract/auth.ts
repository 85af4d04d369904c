import { z } from 'zod'
import { accessItemsResponseSchema, confirmAccessSchema, endAccessSchema } from '../account.ts'
import { loginChallengeSchema, meSchema } from '../sign-in.ts'
import { idParamsSchema, pageQuerySchema } from '../timestamp.ts'
import {
  apiTokenSchema,
  authSessionSchema,
  changePasswordSchema,
  createApiTokenSchema,
  loginResponseSchema,
  loginSchema,
} from '../users.ts'
import { nextCursorHeader, noContentSchema, routes } from './route.ts'

const sessionOnly = { access: 'user', sessionOnly: true } as const

export const authRoutes = routes({
  'POST /auth/login': {
    access: 'public',
    summary: 'Sign in',
    description:
      'Fields as multipart form-data, urlencoded or JSON. After 10 failures for an account or 100 from an address ' +
      'in 15 minutes further attempts are refused for a while. 202: the password was right, and a code is asked ' +
      'for; `challenge` and the code go to /auth/totp/sign-in.',
    tag: 'Auth',
    form: loginSchema,
    response: { 200: loginResponseSchema, 202: loginChallengeSchema },
    errors: [401, 403, 415, 429],
  },
  'GET /auth/me': {
    access: 'user',
    summary: 'Read who is signed in',
    tag: 'Auth',
    response: { 200: meSchema },
  },
  'POST /auth/logout': {
    ...sessionOnly,
    summary: 'Sign out',
    description: 'The token no longer works, on any server.',
    tag: 'Auth',
    response: { 204: noContentSchema },
    errors: [403],
  },
  'POST /auth/password': {
    ...sessionOnly,
    summary: 'Change the password',
    description:
      'Every other session and every personal API token of the caller ends, and what `end_access` names of GET /auth/access.',
    tag: 'Auth',
    body: changePasswordSchema,
    response: { 204: noContentSchema },
    errors: [403, 429],
  },
  'GET /auth/sessions': {
    ...sessionOnly,
    summary: 'List where the caller is signed in',
    tag: 'Auth',
    query: pageQuerySchema,
    response: { 200: z.array(authSessionSchema) },
    answerHeaders: nextCursorHeader,
    errors: [403],
  },
  'DELETE /auth/sessions/:id': {
    ...sessionOnly,
    summary: 'End a session',
    tag: 'Auth',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
  'GET /auth/tokens': {
    ...sessionOnly,
    summary: 'List the personal API tokens of the caller',
    tag: 'Auth',
    query: pageQuerySchema,
    response: { 200: z.array(apiTokenSchema) },
    answerHeaders: nextCursorHeader,
    errors: [403],
  },
  'POST /auth/tokens': {
    ...sessionOnly,
    summary: 'Make a personal API token',
    description:
      '`token` is shown in this answer and never again. It opens what its scopes name, of what the caller may do; ' +
      'each route says which one it needs. A token cannot make tokens.',
    tag: 'Auth',
    body: createApiTokenSchema,
    response: { 201: apiTokenSchema },
    errors: [403, 409],
  },
  'DELETE /auth/tokens/:id': {
    ...sessionOnly,
    summary: 'Delete a personal API token',
    tag: 'Auth',
    params: idParamsSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
  'GET /auth/access': {
    ...sessionOnly,
    summary: 'List everything with access to the account, or that data is sent to',
    description:
      'Newest first, without the session of this call. `is_suspended`: off since a restore, until confirmed.',
    tag: 'Auth',
    query: pageQuerySchema,
    response: { 200: accessItemsResponseSchema },
    errors: [403],
  },
  'POST /auth/access/end': {
    ...sessionOnly,
    summary: 'End things with access to the account',
    tag: 'Auth',
    body: endAccessSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
  'POST /auth/access/confirm': {
    ...sessionOnly,
    summary: 'Turn on again what a restore turned off',
    description: 'More than ten minutes after signing in `current_password` is needed as well.',
    tag: 'Auth',
    body: confirmAccessSchema,
    response: { 204: noContentSchema },
    errors: [403, 429],
  },
})
