// The server as it is started by everybody, but for the hashing of passwords: every test makes accounts, and with the cost
// that keeps real passwords safe a third of the time of the browser tests would go into that.
import { serve } from '../../apps/api/src/serve.ts'

await serve({ bcryptCost: 4 })
