import { z } from 'zod'
import { idParamsSchema } from '../ids-and-pages.ts'
import { storageUseSchema } from '../settings.ts'
import { confirmationSchema, userSignInSchema } from '../sign-in.ts'
import {
  createUserSchema,
  deleteUserQuerySchema,
  listUsersQuerySchema,
  updateUserSchema,
  userSchema,
} from '../users.ts'
import { nextCursorHeader, noContentSchema, routes } from './route.ts'

/** Access for administrators with a session: a leaked token must not create accounts, which would outlive it. */
const administration = { access: 'admin', sessionOnly: true, audit: false } as const

export const usersRoutes = routes({
  'GET /admin/users': {
    access: 'admin',
    summary: 'List the users',
    description:
      '`query` searches username, email and full name. Trashed accounts are left out; `in=trash` lists only those.',
    tag: 'Admin',
    query: listUsersQuerySchema,
    response: { 200: z.array(userSchema) },
    responseHeaders: nextCursorHeader,
  },
  'POST /admin/users': {
    ...administration,
    summary: 'Create a user',
    description:
      'Creating an administrator needs `current_password`, the caller’s own, more than ten minutes after signing ' +
      'in. Administrators are notified of it.',
    tag: 'Admin',
    body: createUserSchema,
    response: { 201: userSchema },
    errors: [403, 409, 429],
  },
  'PUT /admin/users/:id': {
    ...administration,
    summary: 'Change a user',
    description:
      'Takes the whole user or only the changed fields; fields not listed here are ignored. Disabling the user ' +
      'ends their sessions; a new password ends their sessions and all other access to the account (POST ' +
      '/auth/password leaves the choice). Changing the password or the role needs `current_password`, the caller’s ' +
      'own; so does changing the email address more than ten minutes after signing in.',
    tag: 'Admin',
    params: idParamsSchema,
    body: updateUserSchema,
    response: { 200: userSchema },
    errors: [403, 409, 429],
  },
  'GET /admin/users/:id/sign-in': {
    ...administration,
    summary: 'Read the ways in which a user can sign in',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: userSignInSchema },
  },
  'DELETE /admin/users/:id/totp': {
    ...administration,
    summary: 'Turn off a user’s codes',
    description:
      'For users who lost their phone and their recovery codes. Also needs `current_password`, the caller’s own, ' +
      'more than ten minutes after signing in.',
    tag: 'Admin',
    params: idParamsSchema,
    body: confirmationSchema,
    response: { 204: noContentSchema },
    errors: [429],
  },
  'DELETE /admin/users/:id/passkeys': {
    ...administration,
    summary: 'Remove a user’s passkeys',
    description: 'Also needs `current_password`, the caller’s own, more than ten minutes after signing in.',
    tag: 'Admin',
    params: idParamsSchema,
    body: confirmationSchema.nullish(),
    response: { 204: noContentSchema },
    errors: [429],
  },
  'DELETE /admin/users/:id': {
    ...administration,
    summary: 'Delete a user',
    description:
      'Moves the account to the trash: it is signed out everywhere, its tokens, passkeys, hooks and links stop ' +
      'working, its names stay taken, and it is deleted permanently after `trash.account_days` of GET /config (7) ' +
      'unless it is restored. `now=true` deletes it permanently, even from the trash, with all its data: rows ' +
      'immediately, files soon after. Also needs `current_password`, the caller’s own, more than ten minutes after ' +
      'signing in.',
    tag: 'Admin',
    params: idParamsSchema,
    query: deleteUserQuerySchema,
    body: confirmationSchema.nullish(),
    response: { 204: noContentSchema },
    errors: [403, 409, 429],
  },
  'POST /admin/users/:id/restore': {
    ...administration,
    summary: 'Restore a user from the trash',
    description:
      'The account is as it was, with all its data, and still disabled if it was; the user has to sign in again. ' +
      '409 when it is not in the trash.',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: userSchema },
    errors: [409],
  },
  'GET /me/storage': {
    access: 'user',
    summary: 'Read the caller’s storage use and limit',
    tag: 'My data',
    response: { 200: storageUseSchema },
  },
  'GET /admin/users/:id/storage': {
    access: 'admin',
    summary: 'Read a user’s storage use and limit',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: storageUseSchema },
  },
})
