import type { AccessLines } from './access-line.ts'

/** Routes that sign in users and programs, and manage their credentials. */
export const signInRoutes: AccessLines = {
  // OAuth for programs, which its standards describe instead of the OpenAPI document.
  'GET /.well-known/oauth-protected-resource': { access: 'public' },
  'GET /.well-known/oauth-protected-resource/mcp': { access: 'public' },
  'GET /.well-known/oauth-authorization-server': { access: 'public' },
  'GET /oauth/authorize': { access: 'public' },
  'POST /oauth/register': { access: 'public' },
  'POST /oauth/token': { access: 'public' },
  'POST /oauth/revoke': { access: 'public' },
  'GET /api/oauth/consent': { access: 'user' },
  'POST /api/oauth/consent': { access: 'user' },
  'GET /api/me/programs': { access: 'user' },
  'DELETE /api/me/programs/:id': {
    access: 'user',
    foreign: ({ program }) => [{ path: `/api/me/programs/${program}` }],
  },
  'POST /api/auth/login': { access: 'public' },
  'GET /api/auth/me': { access: 'user' },
  'POST /api/auth/logout': { access: 'user' },
  'POST /api/auth/password': { access: 'user' },
  'GET /api/auth/access': { access: 'user' },
  // Other users' ids have no effect.
  'POST /api/auth/access/end': { access: 'user' },
  'POST /api/auth/access/confirm': { access: 'user' },
  'GET /api/auth/sessions': { access: 'user' },
  'DELETE /api/auth/sessions/:id': {
    access: 'user',
    foreign: ({ authSession }) => [{ path: `/api/auth/sessions/${authSession}` }],
  },
  'GET /api/auth/tokens': { access: 'user' },
  'POST /api/auth/tokens': { access: 'user' },
  'DELETE /api/auth/tokens/:id': {
    access: 'user',
    foreign: ({ apiToken }) => [{ path: `/api/auth/tokens/${apiToken}` }],
  },
  'POST /api/auth/passkeys/options': { access: 'public' },
  'POST /api/auth/passkeys/sign-in': { access: 'public' },
  'GET /api/auth/passkeys': { access: 'user' },
  'POST /api/auth/passkeys/registration': { access: 'user' },
  'POST /api/auth/passkeys': { access: 'user' },
  'PATCH /api/auth/passkeys/:id': {
    access: 'user',
    foreign: ({ passkey }) => [{ path: `/api/auth/passkeys/${passkey}`, body: { name: 'Mine now' } }],
  },
  'DELETE /api/auth/passkeys/:id': {
    access: 'user',
    foreign: ({ passkey }) => [{ path: `/api/auth/passkeys/${passkey}` }],
  },
  'POST /api/auth/totp/sign-in': { access: 'public' },
  'GET /api/auth/totp': { access: 'user' },
  'POST /api/auth/totp': { access: 'user' },
  'POST /api/auth/totp/confirm': { access: 'user' },
  'POST /api/auth/totp/recovery-codes': { access: 'user' },
  'DELETE /api/auth/totp': { access: 'user' },
  'POST /api/auth/oidc/start': { access: 'public' },
  'POST /api/auth/oidc/link': { access: 'user' },
  'POST /api/auth/oidc/finish': { access: 'public' },
  'POST /api/auth/invitations/look': { access: 'public' },
  'POST /api/auth/invitations/accept': { access: 'public' },
  'GET /api/admin/invitations': { access: 'admin' },
  'POST /api/admin/invitations': { access: 'admin' },
  // Invitations belong to no account yet.
  'DELETE /api/admin/invitations/:id': { access: 'admin', foreign: () => [] },
}
