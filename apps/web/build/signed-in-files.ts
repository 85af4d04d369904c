import { join } from 'node:path'
import type { Rolldown } from 'vite'

const source = join(import.meta.dirname, '../src')
const dashboard = [
  'app/dashboard-page.tsx',
  'features/insights/overview/overview-tab.tsx',
  'features/automation/reminders/up-next.tsx',
  'features/library/recently-added.tsx',
]
/**
 * Files for the first load of a screen on top of the shared ones, by the first segment of its path; a trailing slash
 * means that more segments follow.
 */
export const firstLoadFiles = {
  // the bare address, where the installed app starts, redirects to the dashboard
  '': dashboard,
  dashboard,
  chat: ['features/chat/chat-page.tsx'],
  agents: ['features/chat/agents/agents-page.tsx', 'features/automation/reminders/reminder-list.tsx'],
  upload: ['features/library/upload/upload-page.tsx'],
  gallery: ['features/library/gallery-page.tsx', 'features/library/library-view.tsx'],
  'gallery/': ['features/library/gallery-page.tsx', 'features/library/item-view.tsx'],
  notes: ['features/library/notes/note-page.tsx'],
  effects: ['features/studio/effects-page.tsx'],
  memory: ['features/search/memory-page.tsx'],
  admin: ['app/admin-page.tsx'],
} satisfies Readonly<Record<string, readonly string[]>>

/** Text chunk (see chunks.ts) that a screen's first load needs in addition to the shared ones. */
const firstTexts: Readonly<Record<string, string>> = {
  '': 'overview',
  dashboard: 'overview',
  chat: 'chat',
  agents: 'more',
  upload: 'more',
  memory: 'more',
  effects: 'rare',
}

export interface SignedInFiles {
  /** On every screen. */
  all: string[]
  /** On every signed-out screen except sign-in. */
  router: string[]
  /** By language: texts of the sign-in screen in `start`, of every other screen in `all`, and of single screens by name. */
  texts: Record<string, Record<string, string[]>>
  /** Keys as in `firstLoadFiles`. */
  screens: Record<string, string[]>
}

type Built = Rolldown.OutputChunk | Rolldown.OutputAsset

/**
 * Finds the scripts of a build that signed-in screens load first.
 * @throws Error when an expected file or screen is missing.
 */
export function signedInFiles(built: readonly Built[]): SignedInFiles {
  const chunks = built.filter((file) => file.type === 'chunk')
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const atStart = startFiles(built)
  const filesMatching = (pattern: RegExp) => chunks.map(({ fileName }) => fileName).filter((name) => pattern.test(name))
  const all = filesMatching(/\/(router|signed-in)-[^/]+\.js$/)
  if (all.length !== 2)
    throw new Error(`The build should have two files for all signed-in screens, but has: ${all.join(', ')}`)
  const toUrlPath = (name: string) => `/${name}`

  const textFile = (language: string, name: string) => {
    const [file] = filesMatching(new RegExp(`/texts-${language}-${name}-[\\w-]{8}\\.js$`))
    if (file === undefined) throw new Error(`The build has no file of texts "${name}" in "${language}".`)
    return [toUrlPath(file)]
  }
  const languages = new Set(filesMatching(/\/texts-/).map((name) => /\/texts-([a-z]{2})/.exec(name)?.[1] ?? ''))
  if (!languages.has('en')) throw new Error('The build has no file of English texts.')
  const texts = Object.fromEntries(
    [...languages].map((language) => {
      const ofScreens = Object.entries(firstTexts).map(([screen, name]) => [screen, textFile(language, name)])
      // the frame's English texts are part of its code, and the server's messages are in English already
      const start = language === 'en' ? [] : textFile(language, 'start')
      const serverTexts = language === 'en' ? [] : textFile(language, 'problems')
      const all = [...start, ...serverTexts, ...textFile(language, 'signed-in')]
      return [language, { start, all, ...Object.fromEntries(ofScreens) }]
    }),
  )
  const screens = Object.fromEntries(
    Object.entries(firstLoadFiles).map(([screen, roots]) => {
      const files = roots.flatMap((root) => {
        const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(join(source, root)))
        if (!chunk) throw new Error(`signed-in-files.ts names ${root}, which is not part of the app.`)
        return withImports(chunk.fileName, byName)
      })
      return [screen, [...new Set(files)].filter((name) => !atStart.has(name) && !all.includes(name)).map(toUrlPath)]
    }),
  )
  return { all: all.map(toUrlPath), router: filesMatching(/\/router-[^/]+\.js$/).map(toUrlPath), texts, screens }
}

/** Scripts loaded on every screen. */
export function startFiles(built: readonly Built[]): Set<string> {
  const chunks = built.filter((file) => file.type === 'chunk')
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  // the entry chunk itself is removed once index.html has been written
  const entry = chunks.find(({ moduleIds }) => moduleIds.includes(join(source, 'main.tsx')))
  if (entry === undefined) throw new Error('The build has no main.tsx.')
  return new Set(withImports(entry.fileName, byName))
}

/** A script and all scripts that it imports statically. */
function withImports(
  name: string,
  byName: ReadonlyMap<string, Rolldown.OutputChunk>,
  visited = new Set<string>(),
): string[] {
  if (!visited.has(name)) {
    visited.add(name)
    for (const imported of byName.get(name)?.imports ?? []) withImports(imported, byName, visited)
  }
  return [...visited]
}
