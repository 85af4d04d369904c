import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { signedInFiles, startFiles } from './signed-in-files.ts'

/** Upper limits for the first load of a screen: scripts in English, gzipped. Lower them as screens get lighter. */
const budgets: Readonly<Record<string, { files: number; bytes: number }>> = {
  login: { files: 1, bytes: 98_100 },
  dashboard: { files: 7, bytes: 180_200 },
  chat: { files: 7, bytes: 215_600 },
  gallery: { files: 7, bytes: 181_600 },
  'gallery/': { files: 7, bytes: 185_100 },
  agents: { files: 7, bytes: 182_000 },
  upload: { files: 8, bytes: 195_300 },
  notes: { files: 6, bytes: 167_750 },
  effects: { files: 8, bytes: 203_500 },
  memory: { files: 7, bytes: 185_700 },
  admin: { files: 7, bytes: 171_550 },
}

/** Stops a build after which a screen would load more than it may. */
export function firstLoadBudget(): Plugin {
  return {
    name: 'first-load-budget',
    apply: 'build',
    writeBundle(_options, bundle) {
      const built = Object.values(bundle)
      const { all, texts, screens } = signedInFiles(built)
      const start = [...startFiles(built)].map((name) => `/${name}`)
      for (const [screen, most] of Object.entries(budgets)) {
        const ofSignedIn = [...all, ...(texts.en?.all ?? []), ...(texts.en?.[screen] ?? [])]
        const names = new Set([...start, ...(screens[screen] ?? []), ...(screen === 'login' ? [] : ofSignedIn)])
        const chunks = built.filter((file) => file.type === 'chunk' && names.has(`/${file.fileName}`))
        const bytes = chunks.reduce((sum, file) => sum + ('code' in file ? gzipSync(file.code).length : 0), 0)
        if (names.size <= most.files && bytes <= most.bytes) continue
        this.error(
          `The first look at /${screen} loads ${bytes} bytes in ${names.size} scripts; it may load ${most.bytes} in ${most.files} (first-load-budget.ts).`,
        )
      }
    },
  }
}
