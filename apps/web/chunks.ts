import { basename, join } from 'node:path'

interface Modules {
  getModuleInfo(
    id: string,
  ): { importedIds: readonly string[]; importers: readonly string[]; code: string | null } | null
}

const source = join(import.meta.dirname, 'src')
/** What everybody loads: the frame of the app, and the screen on which one signs in. */
const startRoots = [
  'main.tsx',
  'features/users/login-page.tsx',
  'features/users/sign-in/code-step.tsx',
  'features/users/sign-in/other-ways.tsx',
]
/** What whoever is signed in loads on every screen. */
const signedInRoots = ['app/signed-in-layout.tsx']
const screenRoots = [
  'app/dashboard-page.tsx',
  'app/admin-page.tsx',
  'features/agents/agents-page.tsx',
  'features/chat/chat-page.tsx',
  'features/effects/effects-page.tsx',
  'features/gallery/gallery-page.tsx',
  'features/memory/memory-page.tsx',
  'features/overview/overview-tab.tsx',
  'features/reminders/reminder-list.tsx',
  'features/upload/upload-page.tsx',
]
/** Parts that a screen and what is opened later share, and that are too much to be loaded on the other screens. */
const apartRoots = ['features/gallery/item-body.tsx']
/** What fewer screens share, or is larger, has a file of its own. */
const LEAST_SCREENS = 2
const LARGEST_SHARED_BYTES = 25_000

/** Every module that these files import at once, themselves included. */
function modulesOf(roots: readonly string[], modules: Modules): Set<string> {
  const found = new Set<string>()
  const waiting = roots.map((root) => join(source, root))
  const missing = waiting.find((id) => modules.getModuleInfo(id) === null)
  if (missing !== undefined) throw new Error(`chunks.ts names ${missing}, which is not part of the app.`)
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue
    found.add(id)
    const module = modules.getModuleInfo(id)
    for (const icon of iconsIn(module?.code ?? '')) found.add(icon)
    // these import all of their parts, of which each screen uses few
    if (!/\/(radix-ui|lucide-react)\/dist\//.test(id)) waiting.push(...(module?.importedIds ?? []))
  }
  return found
}

/** The files of the icons that a module names, as `iconFile` tells them. */
function iconsIn(code: string): string[] {
  const lists = [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g)]
  return lists
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => (name.trim().split(/\s/)[0] ?? '').replace(/(?<=[a-z\d])(?=[A-Z])/g, '-').toLowerCase())
    .filter((name) => name !== '')
    .map((name) => `icon ${name}`)
}

/** What stands for the file of an icon in a set of modules; null for any other file. */
function iconFile(id: string): string | null {
  const name = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.m?js$/.exec(id)?.[1]
  return name === undefined ? null : `icon ${name}`
}

/**
 * Which files the app is built into: a screen needs a handful of them instead of one for each part that some screens share,
 * because every file costs a round trip. What is in no group stays with the screens that use it.
 */
export function chunkGroups() {
  let known: { start: Set<string>; signedIn: Set<string>; screens: Set<string>[]; apart: Set<string> } | undefined
  const sets = (modules: Modules) => {
    known ??= {
      start: modulesOf(startRoots, modules),
      signedIn: modulesOf(signedInRoots, modules),
      screens: screenRoots.map((root) => modulesOf([root], modules)),
      apart: modulesOf(apartRoots, modules),
    }
    return known
  }
  const isIn = (set: Set<string>, id: string) => set.has(iconFile(id) ?? id) || (set.size > 0 && isIconBase(id))
  const isShared = (id: string, modules: Modules) => {
    if (iconFile(id) !== null) return true
    const { screens } = sets(modules)
    return screens.filter((screen) => screen.has(id)).length >= LEAST_SCREENS
  }
  /** What a screen alone shares with what is opened later would be files by themselves, however small. */
  const sharedLaterBy = (id: string, modules: Modules) => {
    const { screens, apart } = sets(modules)
    const [root, another] = screenRoots.filter((_root, at) => screens[at]?.has(id))
    if (root === undefined || another !== undefined || apart.has(id)) return null
    const own = screens[screenRoots.indexOf(root)] as Set<string>
    return isImportedOutside(id, own, modules) ? `${basename(root, '.tsx')}-shared` : null
  }
  // the dependencies of what a group takes go along with it, so what everybody loads comes first
  return [
    { name: textsName, priority: 4 },
    {
      name: (id: string, modules: Modules) => (isRuntime(id) || isIn(sets(modules).start, id) ? 'start' : null),
      priority: 3,
    },
    { name: (id: string, modules: Modules) => (isIn(sets(modules).signedIn, id) ? 'signed-in' : null), priority: 2 },
    {
      name: (id: string, modules: Modules) => (isShared(id, modules) ? 'screens' : null),
      priority: 1,
      maxModuleSize: LARGEST_SHARED_BYTES,
    },
    { name: sharedLaterBy, priority: 0, maxModuleSize: LARGEST_SHARED_BYTES },
  ]
}

/** Whether a module of our own is imported from outside of these. */
function isImportedOutside(id: string, own: Set<string>, modules: Modules): boolean {
  const importers = modules.getModuleInfo(id)?.importers ?? []
  return id.startsWith(source) && importers.some((importer) => !own.has(importer))
}

/** What every icon is drawn with. */
const isIconBase = (id: string) => id.includes('/lucide-react/dist/esm/') && iconFile(id) === null

/** What the bundler adds to join modules. */
const isRuntime = (id: string) => id.startsWith('\0rolldown')

/** Texts of screens that few people open, or rarely. */
const rareTexts = new Set([
  'agents-logs',
  'analytics',
  'automation',
  'chat-logs',
  'effects',
  'hooks',
  'memory-logs',
  'settings',
  'settings-admin',
  'system-admin',
])

/** Texts of the first screens are in one file per language, the others in another. English ones of the frame are in its code. */
function textsName(id: string): string | null {
  const [, language, word = ''] = /\/src\/messages\/([a-z]{2})\/([\w-]+)\.json$/.exec(id) ?? []
  if (language === undefined || (language === 'en' && word === 'app')) return null
  if (['app', 'users', 'errors', 'sign-in'].includes(word)) return `texts-${language}-start`
  return rareTexts.has(word) ? `texts-${language}-more` : `texts-${language}`
}
