import type { CommandModule } from 'yargs'
import { forgetAccount } from '../account.ts'
import { note } from '../output.ts'

/** `mira logout`: forgets the token; a token cannot end itself. */
export const logout: CommandModule = {
  command: 'logout',
  describe: 'Forget the account',
  async handler() {
    await forgetAccount()
    note('The token is forgotten here. End it in Settings → API tokens.')
  },
}
