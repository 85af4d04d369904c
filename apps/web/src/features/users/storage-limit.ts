import type { UserFormValues } from './user-form.ts'

const MEBIBYTE = 1024 * 1024

/** Storage quota for the request; empty when the field wasn't changed. */
export function storageLimitOf({ storage_megabytes: typed }: Pick<UserFormValues, 'storage_megabytes'>): {
  storage_limit_bytes?: number | null
} {
  if (typed === null) return {}
  return { storage_limit_bytes: typed.trim() === '' ? null : Number(typed) * MEBIBYTE }
}
