import type { CommandModule } from 'yargs'
import { currentAccount, currentMira } from '../account.ts'
import { bytes, print, printJson } from '../output.ts'

/** `mira status`: prints the signed-in user, the size of the library and the state of each server component. */
export const status: CommandModule<object, { json: boolean }> = {
  command: 'status',
  describe: 'Show who’s signed in, what’s stored and what works',
  async handler({ json }) {
    const mira = await currentMira()
    const [me, health, stats] = await Promise.all([
      mira.call('GET /auth/me'),
      mira.call('GET /health'),
      mira.call('GET /media/stats'),
    ])
    const { url } = await currentAccount()
    if (json) return printJson({ url, user: me, health, stats })
    print(`${url} (${health.version}), signed in as ${me.username}`)
    print(
      `${stats.total_items} items, ${bytes(stats.total_bytes)}; ${stats.processing} being processed, ${stats.failed} failed`,
    )
    const { models, ...parts } = health.checks
    for (const [name, check] of Object.entries({ ...parts, ...models })) {
      if (!check) continue
      const engine = [check.engine, check.model].filter(Boolean).join(', ')
      print(`  ${check.state.padEnd(5)} ${name}${engine && ` (${engine})`}${check.reason ? `: ${check.reason}` : ''}`)
    }
  },
}
