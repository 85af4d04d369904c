// The server as it is started by everybody, but for the hashing of passwords and the processes that read files. Every test
// makes accounts: with the cost that keeps real passwords safe a third of the time of the browser tests would go into that, and
// processes that work for one user alone would be started again for each.
import { createCaging } from '../../apps/api/src/platform/sandbox/caging.ts'
import { serve } from '../../apps/api/src/serve.ts'

await serve({ bcryptCost: 4, openCaging: (asked) => ({ ...createCaging(asked), onlyUser: 'everybody here' }) })
