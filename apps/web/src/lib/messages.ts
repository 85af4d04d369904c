import type app from '../messages/en/app.json'
import type chat from '../messages/en/chat.json'
import type chatLogs from '../messages/en/chat-logs.json'
import type dashboard from '../messages/en/dashboard.json'
import type errors from '../messages/en/errors.json'
import type overview from '../messages/en/overview.json'
import type settings from '../messages/en/settings.json'
import type users from '../messages/en/users.json'

/**
 * The texts of the app by their word: one file `messages/<language>/<word>.json` for each.
 * A feature that brings its own file adds its line here; keys are then checked by the compiler.
 */
export interface Messages {
  app: typeof app
  errors: typeof errors
  users: typeof users
  chat: typeof chat
  dashboard: typeof dashboard
  overview: typeof overview
  'chat-logs': typeof chatLogs
  settings: typeof settings
}

/** The first part of where a text is found. */
export type TextWord = keyof Messages
