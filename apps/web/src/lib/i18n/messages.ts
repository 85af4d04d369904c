import type problems from '@mira/shared/messages/en/problems.json'
import type aboutMe from '../../messages/en/about-me.json'
import type agents from '../../messages/en/agents.json'
import type agentsLogs from '../../messages/en/agents-logs.json'
import type analytics from '../../messages/en/analytics.json'
import type app from '../../messages/en/app.json'
import type audit from '../../messages/en/audit.json'
import type automation from '../../messages/en/automation.json'
import type chat from '../../messages/en/chat.json'
import type chatLogs from '../../messages/en/chat-logs.json'
import type connections from '../../messages/en/connections.json'
import type conversations from '../../messages/en/conversations.json'
import type dashboard from '../../messages/en/dashboard.json'
import type effects from '../../messages/en/effects.json'
import type errors from '../../messages/en/errors.json'
import type gallery from '../../messages/en/gallery.json'
import type imports from '../../messages/en/imports.json'
import type mcpServers from '../../messages/en/mcp-servers.json'
import type memory from '../../messages/en/memory.json'
import type memoryLogs from '../../messages/en/memory-logs.json'
import type notes from '../../messages/en/notes.json'
import type notifications from '../../messages/en/notifications.json'
import type overview from '../../messages/en/overview.json'
import type personas from '../../messages/en/personas.json'
import type programs from '../../messages/en/programs.json'
import type projects from '../../messages/en/projects.json'
import type prompts from '../../messages/en/prompts.json'
import type reminders from '../../messages/en/reminders.json'
import type settings from '../../messages/en/settings.json'
import type settingsAdmin from '../../messages/en/settings-admin.json'
import type shares from '../../messages/en/shares.json'
import type signIn from '../../messages/en/sign-in.json'
import type systemAdmin from '../../messages/en/system-admin.json'
import type trash from '../../messages/en/trash.json'
import type upload from '../../messages/en/upload.json'
import type users from '../../messages/en/users.json'
import type voice from '../../messages/en/voice.json'
import type watchedFolders from '../../messages/en/watched-folders.json'
import type web from '../../messages/en/web.json'
import type webhooks from '../../messages/en/webhooks.json'

/**
 * The app's texts by namespace: one file `messages/<language>/<namespace>.json` for each; the server's sentences (`problems`)
 * are in packages/shared.
 * A feature with its own file adds a line here; keys are then checked by the compiler.
 */
export interface Messages {
  'about-me': typeof aboutMe
  app: typeof app
  audit: typeof audit
  automation: typeof automation
  agents: typeof agents
  'agents-logs': typeof agentsLogs
  analytics: typeof analytics
  errors: typeof errors
  effects: typeof effects
  users: typeof users
  chat: typeof chat
  connections: typeof connections
  conversations: typeof conversations
  dashboard: typeof dashboard
  notes: typeof notes
  notifications: typeof notifications
  overview: typeof overview
  programs: typeof programs
  personas: typeof personas
  projects: typeof projects
  problems: typeof problems
  prompts: typeof prompts
  reminders: typeof reminders
  gallery: typeof gallery
  webhooks: typeof webhooks
  imports: typeof imports
  'chat-logs': typeof chatLogs
  settings: typeof settings
  shares: typeof shares
  'sign-in': typeof signIn
  'settings-admin': typeof settingsAdmin
  'system-admin': typeof systemAdmin
  trash: typeof trash
  upload: typeof upload
  'mcp-servers': typeof mcpServers
  memory: typeof memory
  'memory-logs': typeof memoryLogs
  voice: typeof voice
  'watched-folders': typeof watchedFolders
  web: typeof web
}

/** Name of a message file, without its extension. */
export type TextNamespace = keyof Messages
