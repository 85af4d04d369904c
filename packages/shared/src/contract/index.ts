import { aboutMeRoutes, accountRoutes, webhooksRoutes } from './account.ts'
import { authRoutes } from './auth.ts'
import { automationRoutes, remindersRoutes } from './automation.ts'
import { agentsRoutes, chatRoutes, voiceRoutes } from './chat.ts'
import { effectsRoutes } from './effects.ts'
import { mcpServersRoutes } from './mcp-servers.ts'
import { mediaRoutes, memoryRoutes } from './media.ts'
import { personasRoutes } from './personas.ts'
import { sessionsRoutes } from './sessions.ts'
import { settingsRoutes } from './settings.ts'
import { signInRoutes } from './sign-in.ts'
import { backupsRoutes, insightsRoutes, systemRoutes } from './system.ts'
import { importsRoutes, uploadsRoutes } from './uploads.ts'
import { usersRoutes } from './users.ts'

/** Every route below /api: the source for server, clients, OpenAPI document and docs/scopes.md. */
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
