/** Paths of the screens. */
export const paths = {
  home: '/',
  login: '/login',
  oidcReturn: '/login/oidc',
  invitation: '/invitation',
  /** Target of the redirect from /oauth/authorize. */
  connect: '/connect',
  /** Prefix of shared links, followed by the token. */
  shared: '/s',
  dashboard: '/dashboard',
  chat: '/chat',
  /** Prefix of a printable conversation, followed by its id. */
  printed: '/chat/print',
  agents: '/agents',
  upload: '/upload',
  gallery: '/gallery',
  effects: '/effects',
  memory: '/memory',
  notes: '/notes',
  trash: '/trash',
  admin: '/admin',
  analytics: '/analytics',
} as const

/** Path that opens an item at the location of `words` in it. */
export function itemPath(id: string, words: string): string {
  return `${paths.gallery}/${id}?${new URLSearchParams({ q: words })}`
}

/** Path of the trash that lists items or conversations. */
export function trashPath(kind: 'items' | 'conversations'): string {
  return kind === 'items' ? paths.trash : `${paths.trash}?kind=${kind}`
}

/** Path for writing a new note. */
export const newNotePath = `${paths.notes}/new`

export function notePath(id: string): string {
  return `${paths.notes}/${encodeURIComponent(id)}`
}

/** Tabs of the dashboard, as in its address. */
export type DashboardTab =
  | 'overview'
  | 'chat-logs'
  | 'memory-logs'
  | 'agents-logs'
  | 'analytics'
  | 'automation'
  | 'settings'

export function dashboardPath(tab: DashboardTab): string {
  return tab === 'overview' ? paths.dashboard : `${paths.dashboard}?tab=${tab}`
}

/** Hash of the card of remembered facts, in the settings. */
export const REMEMBERED_HASH = 'remembered'

/** Path of the facts remembered about the user. */
export const rememberedPath = `${dashboardPath('settings')}#${REMEMBERED_HASH}`

/** Hash of the card of saved prompts, in the settings. */
export const PROMPTS_HASH = 'prompts'

export const promptsPath = `${dashboardPath('settings')}#${PROMPTS_HASH}`

/** Query parameter of the dashboard that shows the first steps, even if they were hidden. */
export const FIRST_STEPS_PARAMETER = 'first-steps'

export function adminPath(tab: 'users' | 'system' | 'settings' | 'audit'): string {
  return tab === 'users' ? paths.admin : `${paths.admin}?tab=${tab}`
}

/** Query parameter of the chat that starts a temporary conversation. */
export const TEMPORARY_PARAMETER = 'temporary'

export const temporaryChatPath = `${paths.chat}?${TEMPORARY_PARAMETER}=1`

/** Hash of the card of personas, in the settings. */
export const PERSONAS_HASH = 'assistants'

/** Query parameter of the chat: id of the persona for a new conversation. */
export const PERSONA_PARAMETER = 'assistant'

export function personaChatPath(personaId: string): string {
  return `${paths.chat}?${PERSONA_PARAMETER}=${encodeURIComponent(personaId)}`
}

/** Query parameter of the chat: id of the project for a new conversation. */
export const PROJECT_PARAMETER = 'project'

export function projectChatPath(projectId: string): string {
  return `${paths.chat}?${PROJECT_PARAMETER}=${encodeURIComponent(projectId)}`
}

/** Path of a conversation's print view. */
export function printedChatPath(sessionId: string): string {
  return `${paths.printed}/${encodeURIComponent(sessionId)}`
}

/** Query parameter of the chat: id of a message to show. */
export const MESSAGE_PARAMETER = 'message'

/** Path of a conversation, or of one message in it. */
export function chatPath(sessionId: string, messageId?: string | null): string {
  const parameters = new URLSearchParams({ session: sessionId })
  if (messageId != null) parameters.set(MESSAGE_PARAMETER, messageId)
  return `${paths.chat}?${parameters}`
}

/** Query parameter of the chat: id of an item to attach to the next message; can be repeated. */
export const ATTACH_PARAMETER = 'attach'

/** Path of a new conversation about items of the library. */
export function attachPath(ids: readonly string[]): string {
  return `${paths.chat}?${new URLSearchParams(ids.map((id) => [ATTACH_PARAMETER, id]))}`
}

/** Path of the pictures made by effects. */
export const effectImagesPath = `${paths.effects}?tab=gallery`

/** Keyboard shortcuts that open pages from every screen, by path. */
export const pageShortcuts: ReadonlyMap<string, string> = new Map([
  [paths.chat, 'c'],
  [paths.upload, 'u'],
  [paths.memory, 's'],
  [paths.agents, 'a'],
])

/** Cards of the admin settings that can be linked to. */
export type AdminSettingsCard =
  | 'general'
  | 'signIn'
  | 'engines'
  | 'embeddings'
  | 'models'
  | 'retention'
  | 'backups'
  | 'feeds'

export function adminSettingsPath(card: AdminSettingsCard): string {
  return `${adminPath('settings')}#${card}`
}
