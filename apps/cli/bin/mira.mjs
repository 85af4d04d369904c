#!/usr/bin/env node
import { existsSync } from 'node:fs'
import process from 'node:process'

// what a library is to change one day is nothing for whoever uses the program
process.noDeprecation = true

const program = new URL('../dist/mira.mjs', import.meta.url)
if (existsSync(program)) await import(program.href)
else {
  console.error('mira is not built yet: run `npm run build` in the repository.')
  process.exitCode = 1
}
