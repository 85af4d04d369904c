/** The addresses of the screens. */
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

/** An item of the gallery, at the place where words stand in it. */
export function itemPath(id: string, words: string): string {
  return `${paths.gallery}/${id}?${new URLSearchParams({ q: words })}`
}

/** The address of what was deleted of a kind. */
export function trashPath(kind: 'items' | 'conversations'): string {
  return kind === 'items' ? paths.trash : `${paths.trash}?kind=${kind}`
}

/** The address where a new note is written. */
export const newNotePath = `${paths.notes}/new`

/** The address where a note is edited. */
export function notePath(id: string): string {
  return `${paths.notes}/${encodeURIComponent(id)}`
}

/** The tabs of the dashboard, as its address names them. */
export type DashboardTab =
  | 'overview'
  | 'chat-logs'
  | 'memory-logs'
  | 'agents-logs'
  | 'analytics'
  | 'automation'
  | 'settings'

/** The address of a tab of the dashboard. */
export function dashboardPath(tab: DashboardTab): string {
  return tab === 'overview' ? paths.dashboard : `${paths.dashboard}?tab=${tab}`
}

/** In the address of the settings: what is remembered is scrolled to. */
export const REMEMBERED_HASH = 'remembered'

/** The address of what is remembered of the person. */
export const rememberedPath = `${dashboardPath('settings')}#${REMEMBERED_HASH}`

/** In the address of the settings: the saved prompts. */
export const PROMPTS_HASH = 'prompts'

/** The address of the saved prompts. */
export const promptsPath = `${dashboardPath('settings')}#${PROMPTS_HASH}`

/** In the address of the dashboard: the list of first steps is shown, also when it was put away. */
export const FIRST_STEPS_PARAMETER = 'first-steps'

/** The address of a tab of the admin panel. */
export function adminPath(tab: 'users' | 'system' | 'settings' | 'audit'): string {
  return tab === 'users' ? paths.admin : `${paths.admin}?tab=${tab}`
}

/** In the address of the chat: the new conversation is a temporary one. */
export const TEMPORARY_PARAMETER = 'temporary'

/** The address of a new conversation of which nothing is stored. */
export const temporaryChatPath = `${paths.chat}?${TEMPORARY_PARAMETER}=1`

/** In the address of the settings: the personas. */
export const PERSONAS_HASH = 'assistants'

/** In the address of the chat: the persona that the new conversation is with. */
export const PERSONA_PARAMETER = 'assistant'

/** The address of a new conversation with a persona. */
export function personaChatPath(personaId: string): string {
  return `${paths.chat}?${PERSONA_PARAMETER}=${encodeURIComponent(personaId)}`
}

/** In the address of the chat: the project that the new conversation belongs to. */
export const PROJECT_PARAMETER = 'project'

/** The address of a new conversation of a project. */
export function projectChatPath(projectId: string): string {
  return `${paths.chat}?${PROJECT_PARAMETER}=${encodeURIComponent(projectId)}`
}

/** The address of a conversation as it goes on paper. */
export function printedChatPath(sessionId: string): string {
  return `${paths.printed}/${encodeURIComponent(sessionId)}`
}

/** In the address of a conversation: the message that is led to. */
export const MESSAGE_PARAMETER = 'message'

/** The address of a conversation, or of one message in it. */
export function chatPath(sessionId: string, messageId?: string | null): string {
  const parameters = new URLSearchParams({ session: sessionId })
  if (messageId != null) parameters.set(MESSAGE_PARAMETER, messageId)
  return `${paths.chat}?${parameters}`
}

/** In the address of the chat: an item of the library that the next message is about; may stand there several times. */
export const ATTACH_PARAMETER = 'attach'

/** The address of a new conversation about items of the library. */
export function attachPath(ids: readonly string[]): string {
  return `${paths.chat}?${new URLSearchParams(ids.map((id) => [ATTACH_PARAMETER, id]))}`
}

/** The address of the pictures that effects made. */
export const madePicturesPath = `${paths.effects}?tab=gallery`

/** The key that leads to a page from every screen, by the page's address. */
export const goKeys: ReadonlyMap<string, string> = new Map([
  [paths.chat, 'c'],
  [paths.upload, 'u'],
  [paths.memory, 's'],
  [paths.agents, 'a'],
])

/** The cards of the administrators' settings that are led to. */
export type AdminSettingsCard =
  | 'general'
  | 'signIn'
  | 'engines'
  | 'embeddings'
  | 'models'
  | 'retention'
  | 'backups'
  | 'feeds'

/** The address of a card of the administrators' settings. */
export function adminSettingsPath(card: AdminSettingsCard): string {
  return `${adminPath('settings')}#${card}`
}
