/** Fixed keys of advisory locks; the keys of other locks are hashes of their names. */
export const advisoryLocks = {
  /** The key of Prisma's own migrate commands. */
  migrations: 72_707_369,
  /** Adding, changing and removing accounts where the number of administrators matters. */
  accounts: 72_707_371,
  backups: 72_707_372,
  /** With the hash of an index's name as second key. */
  indexes: 72_707_373,
  rollups: 72_707_401,
  /** Appending to the chain of the audit log. */
  auditChain: 7_270_738,
} as const
