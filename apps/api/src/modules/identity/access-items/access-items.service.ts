import type { AccessItemKind, AccessItemRef, AccessItemsResponse } from '@mira/shared'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import { type Actor, byActor } from '../actor.ts'
import type { Confirmation } from '../sign-in/confirmation.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { UsersStore } from '../users/users.store.ts'
import { confirmAccessItems, endAccessItems, listAccessItems } from './access-items.store.ts'

/** Database channel for changes to MCP servers and to the access to accounts. */
export const MCP_SERVERS_CHANNEL = 'mira_mcp_servers'

/** Notifies all servers that the access to an account has changed, so that they reload what they have cached about it. */
export function notifyAccessChanged({ database, log }: { database: Pick<Database, 'notify'>; log: Log }): void {
  database.notify(MCP_SERVERS_CHANNEL, '').catch((error: unknown) => {
    log.warn({ err: error }, 'other servers could not be notified of changed access to an account')
  })
}

export type AccessItemsService = ReturnType<typeof createAccessItemsService>

/** Lists and ends everything with access to a user's account, and confirms items that a restore suspended. */
export function createAccessItemsService(deps: {
  auth: AuthStore
  users: UsersStore
  confirmation: Confirmation
  database: Database
  log: Log
}) {
  const { database, auth, users, confirmation } = deps
  return {
    /**
     * Access items except the current session, newest first; `kind` limits them to one kind.
     * @throws ValidationError for an invalid cursor.
     */
    async list(
      { userId, sessionId }: Actor,
      { limit, cursor, kind }: PageQuery & { kind?: AccessItemKind | undefined },
    ): Promise<AccessItemsResponse> {
      const after = readTimeCursor(cursor)
      const page = { limit: limit + 1, after, exceptSessionId: sessionId, kind }
      const rows = await listAccessItems(database, userId, page)
      const positionedRows = rows.map((row) => ({ ...row, createdAt: row.created_at }))
      const { items, nextCursor } = cutPage(positionedRows, limit, writeTimeCursor)
      return { items: items.map(({ createdAt: _createdAt, ...item }) => item), next_cursor: nextCursor }
    },

    /** Ends the access of items. Ignores items that don't exist or belong to another user. */
    async end(actor: Actor, items: readonly AccessItemRef[]): Promise<void> {
      await users.transaction(async (tx) => {
        const count = await endAccessItems(actor.userId, items, tx)
        if (count === 0) return
        await auth.invalidateSignedUrls(actor.userId, tx)
        await users.recordAudit(tx, {
          action: 'access.ended',
          ...byActor(actor),
          subjectId: actor.userId,
          detail: { count },
        })
      })
      notifyAccessChanged(deps)
    },

    /** Reactivates items that a restore suspended. @throws ForbiddenError as `requireFresh`. */
    async confirm(actor: Actor, items: readonly AccessItemRef[], password: string | undefined): Promise<void> {
      await confirmation.requireFresh(actor, password)
      await users.transaction(async (tx) => {
        const count = await confirmAccessItems(actor.userId, items, tx)
        if (count === 0) return
        await users.recordAudit(tx, {
          action: 'access.confirmed',
          ...byActor(actor),
          subjectId: actor.userId,
          detail: { count },
        })
      })
      notifyAccessChanged(deps)
    },
  }
}
