// The real server, except for its password hashing and its reader processes. Every test creates accounts: hashing at the cost of
// production would take a third of the time of the browser tests, and reader processes that serve a single user would be restarted
// for each account.
import type { createSandboxing as CreateSandboxing } from '../../apps/api/src/platform/sandbox/sandboxing.ts'
import type { serve as Serve } from '../../apps/api/src/serve.ts'

/** Loads the build in a full run, and the current sources when a test runs alone. */
const load = async (built: string, source: string) =>
  import(new URL(`../../apps/api/${process.env.TEST_BUILT_SERVER === '1' ? built : source}`, import.meta.url).href)
const { createSandboxing }: { createSandboxing: typeof CreateSandboxing } = await load(
  'dist/sandboxing.mjs',
  'src/platform/sandbox/sandboxing.ts',
)
const { serve }: { serve: typeof Serve } = await load('dist/serve.mjs', 'src/serve.ts')

await serve({
  bcryptCost: 4,
  openSandboxing: (options) => ({ ...createSandboxing(options), onlyUser: 'everybody here' }),
})
