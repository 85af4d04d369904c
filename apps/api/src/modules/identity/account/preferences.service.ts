import type { Preferences, UpdatePreferences } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { PreferencesStore } from './preferences.store.ts'

export type PreferencesService = ReturnType<typeof createPreferencesService>

/** A user's preferences for all devices. */
export function createPreferencesService({
  store,
  events,
}: {
  store: PreferencesStore
  events: Pick<Events, 'publish'>
}) {
  return {
    /** @throws NotFoundError when the account was deleted meanwhile. */
    async read(userId: string): Promise<Preferences> {
      return required(await store.find(userId))
    },

    /** @throws NotFoundError as `read`. */
    async update(userId: string, changes: UpdatePreferences): Promise<Preferences> {
      const preferences = required(await store.update(userId, changes))
      events.publish(userId, { type: 'account.updated' })
      return preferences
    },
  }
}

function required(preferences: Preferences | null): Preferences {
  if (preferences === null) throw new NotFoundError('This account is not there any more.')
  return preferences
}
