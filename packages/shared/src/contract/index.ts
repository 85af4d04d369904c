import { aboutMeRoutes } from './about-me.ts'
import { accountRoutes } from './account.ts'
import { agentsRoutes } from './agents.ts'
import { authRoutes } from './auth.ts'
import { automationRoutes } from './automation.ts'
import { backupsRoutes } from './backups.ts'
import { chatRoutes } from './chat.ts'
import { effectsRoutes } from './effects.ts'
import { importsRoutes } from './imports.ts'
import { insightsRoutes } from './insights.ts'
import { mcpServersRoutes } from './mcp-servers.ts'
import { mediaRoutes } from './media.ts'
import { memoryRoutes } from './memory.ts'
import { personasRoutes } from './personas.ts'
import { remindersRoutes } from './reminders.ts'
import { sessionsRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { signInRoutes } from './sign-in.ts'
import { systemRoutes } from './system.ts'
import { uploadsRoutes } from './uploads.ts'
import { usersRoutes } from './users.ts'
import { voiceRoutes } from './voice.ts'
import { webhooksRoutes } from './webhooks.ts'

/** Every route below /api: server, clients, OpenAPI document and page of scopes follow from it. */
export const contract = {
  ...aboutMeRoutes,
  ...accountRoutes,
  ...agentsRoutes,
  ...authRoutes,
  ...automationRoutes,
  ...backupsRoutes,
  ...chatRoutes,
  ...effectsRoutes,
  ...importsRoutes,
  ...insightsRoutes,
  ...mcpServersRoutes,
  ...mediaRoutes,
  ...memoryRoutes,
  ...personasRoutes,
  ...remindersRoutes,
  ...sessionsRoutes,
  ...settingsRoutes,
  ...signInRoutes,
  ...systemRoutes,
  ...uploadsRoutes,
  ...usersRoutes,
  ...voiceRoutes,
  ...webhooksRoutes,
}

export type Contract = typeof contract
