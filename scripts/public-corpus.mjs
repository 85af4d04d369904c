#!/usr/bin/env node
// Uploads the files of a folder to a running Mira, a few at once, and reports the result of each.
//   node scripts/public-corpus.mjs http://127.0.0.1:3000 USER PASSWORD DIR      DIR was filled by scripts/public-corpus.sh
// Writes DIR/outcomes.json; the exit status is 1 when a file was neither read nor refused with a reason.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [base, username, password, directory] = process.argv.slice(2)
if (!directory) {
  console.error('Usage: node scripts/public-corpus.mjs URL USER PASSWORD DIR')
  process.exit(2)
}
const WAIT_SECONDS = 60
const MAX_TRIES = 10
const CONCURRENT_UPLOADS = 3
const folder = join(directory, 'files')
const login = await fetch(`${base}/api/auth/login`, {
  method: 'POST',
  body: new URLSearchParams({ username, password }),
})
const headers = { authorization: `Bearer ${(await login.json()).access_token}` }

async function upload(name) {
  const form = new FormData()
  for (const [key, value] of Object.entries({ extract_text: 'true', generate_caption: 'false', wait: WAIT_SECONDS }))
    form.append(key, String(value))
  form.append('file', new File([readFileSync(join(folder, name))], name))
  const response = await fetch(`${base}/api/media/upload`, { method: 'POST', headers, body: form })
  const busy = response.status === 429 || response.status === 503
  return { busy, status: response.status, body: await response.json().catch(() => ({})) }
}

async function outcomeOf(name) {
  let response = await upload(name)
  for (let tries = 1; response.busy && tries < MAX_TRIES; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 3000))
    response = await upload(name)
  }
  const { status, body } = response
  if (status >= 300) return { state: status < 500 ? 'refused' : 'broken', why: body.detail ?? String(status) }
  const item = await (await fetch(`${base}/api/media/${body.id}`, { headers })).json()
  const read = [item.content, item.transcription].filter(Boolean).join('\n')
  const garbled = /\uFFFD|Ã[\u0080-\u00BF]/.test(read) ? { garbled: read.slice(0, 80) } : {}
  return {
    state: item.processing_status,
    why: item.error ?? null,
    characters: read.length,
    type: item.media_type,
    ...garbled,
  }
}

const outcomes = []
const names = readdirSync(folder).sort()
async function work() {
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const startedAt = performance.now()
    const outcome = await outcomeOf(name).catch((error) => ({ state: 'broken', why: String(error) }))
    outcomes.push({ name, seconds: Math.round((performance.now() - startedAt) / 100) / 10, ...outcome })
    if (outcome.state !== 'completed') console.info(`  ${name} (${outcome.state}): ${outcome.why}`)
  }
}
await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, work))
outcomes.sort((a, b) => a.name.localeCompare(b.name))
writeFileSync(join(directory, 'outcomes.json'), JSON.stringify(outcomes, null, 1))
for (const state of new Set(outcomes.map((outcome) => outcome.state)))
  console.info(`${state}: ${outcomes.filter((outcome) => outcome.state === state).length}`)
for (const { name, garbled } of outcomes.filter((outcome) => outcome.garbled))
  console.info(`garbled: ${name}: ${garbled}`)
const slow = outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, 5)
console.info(`slowest: ${slow.map(({ name, seconds }) => `${name} ${seconds} s`).join(', ')}`)
process.exit(outcomes.some(({ state }) => !['completed', 'refused', 'failed'].includes(state)) ? 1 : 0)
