import type { CommandModule } from 'yargs'
import { forgetAccount } from '../account.ts'
import { note } from '../output.ts'

/** `mira logout`: deletes the stored token. It stays valid until the user revokes it, since a token can't revoke itself. */
export const logout: CommandModule = {
  command: 'logout',
  describe: 'Delete the stored account',
  async handler() {
    await forgetAccount()
    note('The token was deleted from this machine. To revoke it, go to Settings → API Tokens.')
  },
}
