import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { SignedInFiles } from './signed-in-files.ts'

/** Built app, created by `npm run build`. */
const dist = join(import.meta.dirname, '../dist')

/**
 * Limits of each screen's first load: scripts in English, gzipped, 2 % above their size when the limit was set.
 * Lower a limit as its screen gets lighter.
 */
const budgets: Readonly<Record<string, { files: number; bytes: number }>> = {
  login: { files: 1, bytes: 92_500 },
  dashboard: { files: 7, bytes: 178_300 },
  chat: { files: 7, bytes: 218_400 },
  gallery: { files: 7, bytes: 180_500 },
  'gallery/': { files: 7, bytes: 185_800 },
  agents: { files: 7, bytes: 181_700 },
  upload: { files: 8, bytes: 194_700 },
  notes: { files: 6, bytes: 167_600 },
  effects: { files: 8, bytes: 203_800 },
  memory: { files: 7, bytes: 186_300 },
  admin: { files: 6, bytes: 170_900 },
}

/** Error code of zod, present in every bundle that contains it. */
const VALIDATOR_ERROR_CODE = 'invalid_type'

const read = (file: string) => readFileSync(join(dist, file), 'utf8')

/** Scripts of each screen's first load, as listed in the built page. */
function firstLoads(): Record<string, string[]> {
  const page = read('index.html')
  const [, content = ''] = /<meta name="signed-in-files" content="([^"]*)"/.exec(page) ?? []
  const { all, texts, screens }: SignedInFiles = JSON.parse(content.replaceAll('&quot;', '"'))
  const start = [...page.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, file = '']) => file)
  const scriptsOf = (screen: string) => [
    ...new Set([...start, ...all, ...(texts.en?.all ?? []), ...(texts.en?.[screen] ?? []), ...(screens[screen] ?? [])]),
  ]
  const signedIn = Object.keys(screens).filter((screen) => screen !== '')
  return { login: start, ...Object.fromEntries(signedIn.map((screen) => [screen, scriptsOf(screen)])) }
}

describe('the built app', () => {
  it('loads no more than the budget before a screen is shown', () => {
    const loads = firstLoads()
    expect(Object.keys(loads).toSorted()).toEqual(Object.keys(budgets).toSorted())
    const tooLarge = Object.entries(loads).flatMap(([screen, scripts]) => {
      const budget = budgets[screen] ?? { files: 0, bytes: 0 }
      const bytes = scripts.reduce((sum, file) => sum + gzipSync(read(file)).length, 0)
      if (scripts.length <= budget.files && bytes <= budget.bytes) return []
      return [`/${screen}: ${bytes} of ${budget.bytes} bytes in ${scripts.length} of ${budget.files} scripts`]
    })
    expect(tooLarge).toEqual([])
  })

  it('contains no validator: screens import types and constants of the contract, never its schemas', () => {
    const scripts = readdirSync(join(dist, 'assets')).filter((file) => file.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(20)
    expect(scripts.filter((file) => read(join('assets', file)).includes(VALIDATOR_ERROR_CODE))).toEqual([])
  })
})
