// The server as it is started by everybody, but for the hashing of passwords and the processes that read files. Every test
// makes accounts: with the cost that keeps real passwords safe a third of the time of the browser tests would go into that, and
// processes that work for one user alone would be started again for each.
import type { createSandboxing as CreateSandboxing } from '../../apps/api/src/platform/sandbox/sandboxing.ts'
import type { serve as Serve } from '../../apps/api/src/serve.ts'

/** A whole run tests what is built, a test that runs alone the sources as they are now. */
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
