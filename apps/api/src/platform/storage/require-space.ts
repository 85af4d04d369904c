import { StorageFullError } from '../../errors.ts'

/** A user's storage use and limit; null without a limit. */
type SpaceOf = (userId: string) => Promise<{ usedBytes: number; limitBytes: number } | null>

/** Checks that a user may store this many more bytes. @throws StorageFullError with the limit. */
export type RequireSpace = (userId: string, arrivingBytes: number) => Promise<void>

/** Creates the check of a user's storage limit. Only new bytes are refused: existing files stay, even above a lowered limit. */
export function createRequireSpace(spaceOf: SpaceOf): RequireSpace {
  return async (userId, arrivingBytes) => {
    const space = await spaceOf(userId)
    if (!space || (space.usedBytes < space.limitBytes && space.usedBytes + arrivingBytes <= space.limitBytes)) return
    throw new StorageFullError(
      `You may store ${inMegabytes(space.limitBytes)}, and ${inMegabytes(space.usedBytes)} are in use: there is no room ` +
        'for this. Delete something, or ask an administrator for more.',
      { code: 'user_storage_full' },
    )
  }
}

function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1024 / 1024
  return `${megabytes < 10 ? megabytes.toFixed(1) : Math.round(megabytes)} MB`
}
