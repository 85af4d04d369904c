import type { CreateInvitation, InvitationView, Role } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { InvitationModel } from '../../../platform/database/generated/models/Invitation.ts'
import type { AccountFields, PrismaTransaction } from '../users/users.store.ts'

/** Account fields that the invitation decides, not the invited user. */
type InvitedFields = Omit<AccountFields, 'username' | 'passwordHash' | 'isActive'>

/** Condition for invitations that can still be accepted. The administrator who created an invitation must still be active. */
const isOpen = () => ({
  acceptedAt: null,
  revokedAt: null,
  expiresAt: { gt: new Date() },
  user: { role: 'admin', isActive: true },
})
const withInviter = { user: { select: { role: true, isActive: true } } } as const

/** An invitation that can still be accepted. */
interface OpenInvitation {
  id: string
  expiresAt: Date
  invitedBy: string
  fields: InvitedFields
}

export type InvitationsStore = ReturnType<typeof createInvitationsStore>

/** Rows of invitations. */
export function createInvitationsStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** Newest first; `afterId` is the id of the last one on the previous page. */
    async list({ limit, afterId }: { limit: number; afterId?: string }): Promise<InvitationView[]> {
      const rows = await prisma.invitation.findMany({
        ...(afterId === undefined ? {} : { where: { id: { lt: afterId } } }),
        include: withInviter,
        orderBy: { id: 'desc' },
        take: limit,
      })
      return rows.map(toView)
    },

    countOpen: (tx: PrismaTransaction): Promise<number> => tx.invitation.count({ where: isOpen() }),

    async insert(
      invitation: Omit<CreateInvitation, 'expires_in_days' | 'current_password'> & {
        secretHash: string
        userId: string
        invitedBy: string
        expiresAt: Date
      },
      tx: PrismaTransaction,
    ): Promise<InvitationView> {
      const { email, full_name, role, can_chat, can_upload, can_use_voice, can_use_agents, ...rest } = invitation
      const row = await tx.invitation.create({
        data: {
          ...rest,
          email,
          fullName: full_name || null,
          role,
          canChat: can_chat,
          canUpload: can_upload,
          canUseVoice: can_use_voice,
          canUseAgents: can_use_agents,
        },
        include: withInviter,
      })
      return toView(row)
    },

    /** Invitation by the hash of its secret; null when it doesn't exist, has expired, or was used or revoked. */
    async findOpen(secretHash: string, tx: PrismaTransaction = prisma): Promise<OpenInvitation | null> {
      const row = await tx.invitation.findFirst({
        where: { secretHash, ...isOpen() },
      })
      if (row === null) return null
      const { id, expiresAt, invitedBy, email, fullName, canChat, canUpload, canUseVoice, canUseAgents } = row
      const role = row.role as Role
      return {
        id,
        expiresAt,
        invitedBy,
        fields: { email, fullName, role, canChat, canUpload, canUseVoice, canUseAgents },
      }
    },

    /** Marks an invitation as used. @returns false when it can no longer be accepted. */
    async accept(id: string, tx: PrismaTransaction): Promise<boolean> {
      const { count } = await tx.invitation.updateMany({
        where: { id, ...isOpen() },
        data: { acceptedAt: new Date() },
      })
      return count > 0
    },

    /** Revokes an invitation. @returns the invited email address; null when it was already accepted or revoked. */
    async revoke(id: string, tx: PrismaTransaction): Promise<string | null> {
      const [revoked] = await tx.invitation.updateManyAndReturn({
        where: { id, acceptedAt: null, revokedAt: null },
        data: { revokedAt: new Date() },
        select: { email: true },
      })
      return revoked?.email ?? null
    },
  }
}

type InvitationRow = InvitationModel & { user: { role: string; isActive: boolean } | null }

function toView(row: InvitationRow): InvitationView {
  return {
    id: row.id,
    email: row.email,
    full_name: row.fullName,
    // The column's CHECK constraint allows only roles.
    role: row.role as Role,
    can_chat: row.canChat,
    can_upload: row.canUpload,
    can_use_voice: row.canUseVoice,
    can_use_agents: row.canUseAgents,
    invited_by: row.invitedBy,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
    state: stateOf(row),
  }
}

function stateOf({ acceptedAt, revokedAt, expiresAt, user }: InvitationRow): InvitationView['state'] {
  if (acceptedAt !== null) return 'accepted'
  if (revokedAt !== null || user?.role !== 'admin' || !user.isActive) return 'revoked'
  return expiresAt.getTime() <= Date.now() ? 'expired' : 'open'
}
