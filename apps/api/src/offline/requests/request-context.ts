import type { Caller } from '../../caller.ts'

/** Locale and clock by which a request is read. */
export interface RequestContext extends Pick<Caller, 'language' | 'timeZone'> {
  now: Date
}
