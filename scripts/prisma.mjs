// Runs the Prisma CLI with the WASM schema engine from npm instead of the native one that it would download.
// Set PRISMA_SCHEMA_ENGINE_BINARY to use another engine.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const prisma = createRequire(import.meta.url).resolve('prisma/build/index.js')
const { status } = spawnSync(process.execPath, [prisma, ...process.argv.slice(2)], {
  // The schema, the migrations and the configuration are found relative to the root.
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: {
    PRISMA_SCHEMA_ENGINE_BINARY: fileURLToPath(new URL('./schema-engine.mjs', import.meta.url)),
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
    ...process.env,
  },
})
process.exit(status ?? 1)
