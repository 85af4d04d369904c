import { calibrate } from '../calibrate.ts'
import type { MemoryStore, MomentRow } from '../memory.store.ts'
import type { SearchScope } from '../scope.ts'
import {
  findNearest,
  type MeaningQuery,
  modeWithout,
  NOTHING_EMBEDDED,
  type SearchMode,
  type VectorDeps,
} from './meaning.ts'

/** A picture that may look like the query. */
export interface Look {
  moment: MomentRow
  /** Certainty that it was meant, 0 to 1. */
  certainty: number
}

export interface LooksFound extends SearchMode {
  looks: Look[]
}

export interface LooksDeps extends VectorDeps {
  store: VectorDeps['store'] & Pick<MemoryStore, 'readParts'>
}

export type LooksArm = ReturnType<typeof createLooksArm>

const MAX_NEAREST = 80

/** Finds pictures and frames that look like a query, where an engine is connected. */
export function createLooksArm(deps: LooksDeps) {
  return {
    async find(query: MeaningQuery, scope: SearchScope, limit = MAX_NEAREST): Promise<LooksFound> {
      const { userId } = scope
      const nearest = await findNearest(deps, 'image', query, scope, limit, async () => null)
      if ('missing' in nearest) return { ...modeWithout(nearest), looks: [] }
      const { near, vector } = nearest
      const certainties = calibrate(near)
      const byId = new Map(near.map(({ id }, index) => [id, certainties[index] ?? 0]))
      const ids = [...byId].flatMap(([id, certainty]) => (certainty > 0 ? [id] : []))
      const parts = ids.length > 0 ? await deps.store.readParts(userId, ids) : []
      if (near.length === 0 && !(await deps.vectors.hasAny('part', vector.profile.id, userId)))
        return { ...NOTHING_EMBEDDED, looks: [] }
      return { mode: 'semantic', looks: parts.map((moment) => ({ moment, certainty: byId.get(moment.id) ?? 0 })) }
    },
  }
}
