#!/usr/bin/env node
import { existsSync } from 'node:fs'
import process from 'node:process'

// Users can't act on deprecation warnings of libraries.
process.noDeprecation = true

const program = new URL('../dist/mira.mjs', import.meta.url)
if (existsSync(program)) await import(program.href)
else {
  console.error('mira isn’t built yet: run `npm run build` in the repository.')
  process.exitCode = 1
}
