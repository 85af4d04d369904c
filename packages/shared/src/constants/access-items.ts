/** Kinds of things that open a user's account to somebody, or send data out of it. */
export const accessItemKinds = [
  'session',
  'api_token',
  'program',
  'passkey',
  'oidc',
  'share',
  'webhook',
  'mcp_server',
  'push',
  'invitation',
] as const
export type AccessItemKind = (typeof accessItemKinds)[number]
