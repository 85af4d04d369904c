import type { BackupJson } from '@mira/shared'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

const FOLLOW_MS = 1_000
/** While a trial restore is awaited, which takes minutes. */
const FOLLOW_PROOF_MS = 10_000

export const isBeingMade = ({ state }: BackupJson) => state === 'waiting' || state === 'running'

/** Archives of the instance, asked for again while one changes by itself. */
export const backupsQuery = queryOptions({
  queryKey: ['admin-backups'],
  queryFn: ({ signal }) => call('GET /admin/backups', { signal }),
  refetchInterval: ({ state }) => {
    const backups = state.data?.backups ?? []
    if (backups.some(isBeingMade)) return FOLLOW_MS
    const isProofAwaited = backups.some(
      ({ state, proven_at, unproven }) => state === 'completed' && !proven_at && !unproven,
    )
    return isProofAwaited ? FOLLOW_PROOF_MS : false
  },
})
