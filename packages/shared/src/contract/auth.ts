import { z } from 'zod'
import { accessItemsQuerySchema, accessItemsResponseSchema, confirmAccessSchema, endAccessSchema } from '../account.ts'
import { idParamsSchema, pageQuerySchema } from '../ids-and-pages.ts'
import { loginChallengeSchema, meSchema } from '../sign-in.ts'
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
      'in 15 minutes, further attempts are refused for a while. 202 means that the password was right and a code ' +
      'is needed: send `challenge` and the code to /auth/totp/sign-in.',
    tag: 'Auth',
    form: loginSchema,
    response: { 200: loginResponseSchema, 202: loginChallengeSchema },
    errors: [401, 403, 415, 429],
  },
  'GET /auth/me': {
    access: 'user',
    summary: 'Read the signed-in user',
    tag: 'Auth',
    response: { 200: meSchema },
  },
  'POST /auth/logout': {
    ...sessionOnly,
    summary: 'Sign out',
    description: 'The token stops working on every server.',
    tag: 'Auth',
    response: { 204: noContentSchema },
    errors: [403],
  },
  'POST /auth/password': {
    ...sessionOnly,
    summary: 'Change the password',
    description:
      'Ends every other session and every personal API token of the caller, and the entries of GET /auth/access ' +
      'named in `end_access`.',
    tag: 'Auth',
    body: changePasswordSchema,
    response: { 204: noContentSchema },
    errors: [403, 429],
  },
  'GET /auth/sessions': {
    ...sessionOnly,
    summary: 'List the caller’s sessions',
    tag: 'Auth',
    query: pageQuerySchema,
    response: { 200: z.array(authSessionSchema) },
    responseHeaders: nextCursorHeader,
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
    summary: 'List the caller’s personal API tokens',
    tag: 'Auth',
    query: pageQuerySchema,
    response: { 200: z.array(apiTokenSchema) },
    responseHeaders: nextCursorHeader,
    errors: [403],
  },
  'POST /auth/tokens': {
    ...sessionOnly,
    summary: 'Create a personal API token',
    description:
      '`token` is shown in this response only. It allows what its scopes name, within the caller’s own ' +
      'permissions; each route states the scope it needs. A token cannot create tokens.',
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
    summary: 'List everything that has access to the account or is sent its data',
    description:
      'Newest first, without the session of this call. `is_suspended`: turned off by a restore until confirmed.',
    tag: 'Auth',
    query: accessItemsQuerySchema,
    response: { 200: accessItemsResponseSchema },
    errors: [403],
  },
  'POST /auth/access/end': {
    ...sessionOnly,
    summary: 'Revoke access to the account',
    tag: 'Auth',
    body: endAccessSchema,
    response: { 204: noContentSchema },
    errors: [403],
  },
  'POST /auth/access/confirm': {
    ...sessionOnly,
    summary: 'Turn on access that a restore turned off',
    description: 'Also needs `current_password` more than ten minutes after signing in.',
    tag: 'Auth',
    body: confirmAccessSchema,
    response: { 204: noContentSchema },
    errors: [403, 429],
  },
})
