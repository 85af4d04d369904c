import type { AccessItemRef, AccessItemsResponse } from '@mira/shared'
import { readTimeCursor, writeTimeCursor } from '../../../platform/lib/cursor.ts'
import { cutPage, type PageQuery } from '../../../platform/lib/page.ts'
import type { SessionStarter } from '../sign-in/session-starter.ts'
import { type Actor, byActor } from '../users/auth.service.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { UsersStore } from '../users/users.store.ts'
import type { AccessItemsStore } from './access-items.store.ts'

export type AccessItemsService = ReturnType<typeof createAccessItemsService>

/** Shows users everything with access to their account, ends what they choose, and confirms what a restore suspended. */
export function createAccessItemsService(deps: {
  store: AccessItemsStore
  auth: Pick<AuthStore, 'renewLinks'>
  users: UsersStore
  sessionStarter: Pick<SessionStarter, 'requireFresh'>
  /** Lets caches of what was ended or confirmed be read again, on every server. */
  tellChanged(): void
}) {
  const { store, auth, users, sessionStarter, tellChanged } = deps
  return {
    /** Newest first. @throws ValidationError when the cursor is none of ours. */
    async list({ userId, sessionId }: Actor, { limit, cursor }: PageQuery): Promise<AccessItemsResponse> {
      const after = readTimeCursor(cursor)
      const rows = await store.list(userId, { limit: limit + 1, after, exceptSessionId: sessionId })
      const page = rows.map((row) => ({ ...row, createdAt: row.created_at }))
      const { items, nextCursor } = cutPage(page, limit, writeTimeCursor)
      return { items: items.map(({ createdAt: _createdAt, ...item }) => item), next_cursor: nextCursor }
    },

    /** Ends things with access; one that is gone already, or is somebody else's, changes nothing. */
    async end(actor: Actor, items: readonly AccessItemRef[]): Promise<void> {
      await users.transaction(async (tx) => {
        const count = await store.end(actor.userId, items, tx)
        if (count === 0) return
        await auth.renewLinks(actor.userId, tx)
        await users.recordAudit(tx, {
          action: 'access.ended',
          ...byActor(actor),
          subjectId: actor.userId,
          detail: { count },
        })
      })
      tellChanged()
    },

    /** @throws ForbiddenError unless the caller signed in minutes ago or gives their password. */
    async confirm(actor: Actor, items: readonly AccessItemRef[], password: string | undefined): Promise<void> {
      await sessionStarter.requireFresh(actor, { password, address: actor.address })
      await users.transaction(async (tx) => {
        const count = await store.confirm(actor.userId, items, tx)
        if (count === 0) return
        await users.recordAudit(tx, {
          action: 'access.confirmed',
          ...byActor(actor),
          subjectId: actor.userId,
          detail: { count },
        })
      })
      tellChanged()
    },
  }
}
