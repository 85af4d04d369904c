import type { Preferences, UpdatePreferences, UserEventJson } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { PreferencesStore } from './preferences.store.ts'

export type PreferencesService = ReturnType<typeof createPreferencesService>

/** A user's preferences for all devices. */
export function createPreferencesService({ store, publish }: PreferencesDeps) {
  return {
    /** @throws NotFoundError when the person was deleted meanwhile. */
    async read(userId: string): Promise<Preferences> {
      return required(await store.find(userId))
    },

    /** Open pages are told of it. @throws NotFoundError as `read`. */
    async update(userId: string, changes: UpdatePreferences): Promise<Preferences> {
      const changed = required(await store.update(userId, changes))
      publish(userId, { type: 'account.updated' })
      return changed
    },
  }
}

function required(found: Preferences | null): Preferences {
  if (found === null) throw new NotFoundError('This account is not there any more.')
  return found
}

interface PreferencesDeps {
  store: PreferencesStore
  publish(userId: string, event: UserEventJson): void
}
