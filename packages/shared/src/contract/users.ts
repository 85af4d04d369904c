import { z } from 'zod'
import { storageUseSchema } from '../settings.ts'
import { confirmationSchema, userSignInSchema } from '../sign-in.ts'
import { idParamsSchema } from '../timestamp.ts'
import {
  createUserSchema,
  deleteUserQuerySchema,
  listUsersQuerySchema,
  updateUserSchema,
  userSchema,
} from '../users.ts'
import { nextCursorHeader, noContentSchema, routes } from './route.ts'

/** A token that leaked must not make accounts that stay. */
const administration = { access: 'admin', sessionOnly: true, audit: false } as const

export const usersRoutes = routes({
  'GET /admin/users': {
    access: 'admin',
    summary: 'List the users',
    description:
      '`query` is looked for in username, email and full name. Accounts in the trash are left out; `in=trash` lists ' +
      'these alone.',
    tag: 'Admin',
    query: listUsersQuerySchema,
    response: { 200: z.array(userSchema) },
    answerHeaders: nextCursorHeader,
  },
  'POST /admin/users': {
    ...administration,
    summary: 'Create a user',
    description:
      'Another administrator takes `current_password`, the administrator’s own, more than ten minutes after signing in. ' +
      'Administrators are notified of them.',
    tag: 'Admin',
    body: createUserSchema,
    response: { 201: userSchema },
    errors: [403, 409, 429],
  },
  'PUT /admin/users/:id': {
    ...administration,
    summary: 'Change a user',
    description:
      'Takes the whole user or only the changed fields; fields not listed here are ignored. A new password, or ' +
      'disabling the user, ends their sessions, and a new password all other access to the account (POST /auth/password ' +
      'leaves the choice). Changing the password or the role takes `current_password`, the ' +
      'administrator’s own; so does changing the email address, more than ten minutes after signing in.',
    tag: 'Admin',
    params: idParamsSchema,
    body: updateUserSchema,
    response: { 200: userSchema },
    errors: [403, 409, 429],
  },
  'GET /admin/users/:id/sign-in': {
    ...administration,
    summary: 'Read by what a user can sign in',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: userSignInSchema },
  },
  'DELETE /admin/users/:id/totp': {
    ...administration,
    summary: 'Turn the codes of a user off',
    description:
      'For somebody who lost their phone and their recovery codes. More than ten minutes after signing in ' +
      '`current_password`, the administrator’s own, is needed as well.',
    tag: 'Admin',
    params: idParamsSchema,
    body: confirmationSchema,
    response: { 204: noContentSchema },
    errors: [429],
  },
  'DELETE /admin/users/:id/passkeys': {
    ...administration,
    summary: 'Remove the passkeys of a user',
    description:
      'More than ten minutes after signing in `current_password`, the administrator’s own, is needed as well.',
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
      'Puts the account into the trash: it is signed out everywhere, its tokens, passkeys, hooks and links do nothing, ' +
      'its names stay taken, and it is deleted for good after `trash.account_days` of GET /config (7) unless it is ' +
      'restored. `now=true` deletes it for good, also one in the trash, with all that is theirs: rows at once, files ' +
      'soon after. More than ten minutes after signing in `current_password`, the administrator’s own, is needed as well.',
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
      'The account is as it was, with all that is theirs, disabled if it was; they sign in again. 409 when it is not ' +
      'in the trash.',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: userSchema },
    errors: [409],
  },
  'GET /me/storage': {
    access: 'user',
    summary: 'Read how much the caller stores, and may',
    tag: 'My data',
    response: { 200: storageUseSchema },
  },
  'GET /admin/users/:id/storage': {
    access: 'admin',
    summary: 'Read how much a user stores, and may',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: storageUseSchema },
  },
})
