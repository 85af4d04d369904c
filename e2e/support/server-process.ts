// The server as it is built and started by everybody, but for the hashing of passwords and the processes that read files. Every test
// makes accounts: with the cost that keeps real passwords safe a third of the time of the browser tests would go into that, and
// processes that work for one user alone would be started again for each.
import type { createCaging as CreateCaging } from '../../apps/api/src/platform/sandbox/caging.ts'
import type { serve as Serve } from '../../apps/api/src/serve.ts'

const built = (name: string) => import(new URL(`../../apps/api/dist/${name}.mjs`, import.meta.url).href)
const { createCaging } = (await built('caging')) as { createCaging: typeof CreateCaging }
const { serve } = (await built('serve')) as { serve: typeof Serve }

await serve({ bcryptCost: 4, openCaging: (asked) => ({ ...createCaging(asked), onlyUser: 'everybody here' }) })
