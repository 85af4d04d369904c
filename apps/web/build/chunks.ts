import { dirname, join } from 'node:path'
import { firstLoadFiles } from './signed-in-files.ts'

interface Modules {
  getModuleInfo(
    id: string,
  ): { importedIds: readonly string[]; importers: readonly string[]; code: string | null } | null
}

const source = join(import.meta.dirname, '../src')
/** Files loaded on every visit: the app's entry and the sign-in screen. */
const startRoots = ['main.tsx']
/** Files needed by every screen except sign-in, signed in or not. */
const routerRoots = ['app/router.tsx']
/** Files needed by every signed-in screen. */
const signedInRoots = ['app/signed-in-layout.tsx']
/** Files that every signed-in page loads after it's painted. */
const upkeepRoots = ['app/upkeep.ts']
/** The most used screens, where people start: their first load is kept small. Each name is also the prefix of its chunk. */
const mainScreens = ['chat', 'gallery', 'dashboard'] as const
/** Screens whose first load mustn't grow because of code that only other screens need. */
const lightScreens: readonly string[] = ['chat', 'gallery']
/** All screens but the main ones. */
const otherScreens = ['agents', 'upload', 'notes', 'effects', 'memory', 'admin'] as const
/** Larger modules get a chunk of their own. */
const MAX_SHARED_BYTES = 25_000
/**
 * Modules up to this size that only one screen's first load needs are merged into the shared chunk: an extra request would
 * cost more than the bytes.
 */
const MAX_SINGLE_USE_BYTES = 3_000

/** These files and all modules that they import statically. */
function modulesOf(roots: readonly string[], modules: Modules): Set<string> {
  const reached = new Set<string>()
  const waiting = roots.map((root) => join(source, root))
  const missing = waiting.find((id) => modules.getModuleInfo(id) === null)
  if (missing !== undefined) throw new Error(`chunks.ts names ${missing}, which is not part of the app.`)
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id)) continue
    reached.add(id)
    const module = modules.getModuleInfo(id)
    for (const icon of iconsIn(module?.code ?? '')) reached.add(icon)
    // don't follow these index files: they import all of their parts, of which each screen uses few
    if (!/\/(radix-ui|lucide-react)\/dist\//.test(id)) waiting.push(...(module?.importedIds ?? []))
  }
  return reached
}

/** Keys of the icons that a module imports, as in `iconFile`. */
function iconsIn(code: string): string[] {
  const lists = [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g)]
  return lists
    .flatMap(([, list = '']) => list.split(','))
    .map((name) =>
      (name.trim().split(/\s/)[0] ?? '').replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[a-z])(?=\d)/g, '-').toLowerCase(),
    )
    .filter((name) => name !== '')
    .map((name) => `icon ${name}`)
}

/** Key of an icon's file in a set of modules; null for any other file. */
function iconFile(id: string): string | null {
  const name = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.m?js$/.exec(id)?.[1]
  return name === undefined ? null : `icon ${name}`
}

/** Keys of a module in a set; several for icons that have older names. */
function namesOf(id: string, modules: Modules): string[] {
  const icon = iconFile(id)
  if (icon === null) return [id]
  const [, aliases = ''] = /aliases:\s*\[([^\]]*)\]/.exec(modules.getModuleInfo(id)?.code ?? '') ?? []
  return [icon, ...[...aliases.matchAll(/["'`]([\w-]+)["'`]/g)].map(([, alias]) => `icon ${alias}`)]
}

/**
 * Chunks of the build. Every file costs a round trip, so a screen loads a handful of files instead of one for each part that
 * some screens share. Modules in no group stay with the screens that use them.
 */
export function chunkGroups() {
  let cachedSets: ReturnType<typeof findSets> | undefined
  const sets = (modules: Modules) => {
    cachedSets ??= findSets(modules)
    return cachedSets
  }
  const isIn = (set: Set<string>, id: string, modules: Modules) => namesOf(id, modules).some((name) => set.has(name))
  const mainScreensWith = (id: string, modules: Modules) =>
    sets(modules).main.filter(([, set]) => isIn(set, id, modules))
  const otherScreensWith = (id: string, modules: Modules) =>
    sets(modules).others.filter(([, set]) => isIn(set, id, modules))
  /**
   * True for modules that join the chunk of all signed-in screens, because a separate chunk would cost more than their bytes:
   * several main screens need them, or a light screen and any other, or the upkeep and a screen.
   */
  const isInSignedIn = (id: string, modules: Modules) => {
    const main = mainScreensWith(id, modules)
    if (main.length > 1) return true
    // otherwise the screen would wait for the whole upkeep chunk because of a line or two
    if (isIn(sets(modules).upkeep, id, modules) && main.length + otherScreensWith(id, modules).length > 0) return true
    const isSmall = isOurs(id) || iconFile(id) !== null
    // otherwise an item would load all of the chat's or dashboard's later parts because of a line or two
    const isSharedWithItem =
      isSmall && id !== tabs && main.length === 1 && main[0]?.[0] !== 'gallery' && isIn(sets(modules).item, id, modules)
    if (isSharedWithItem) return true
    return isSmall && lightScreens.includes(main[0]?.[0] ?? '') && otherScreensWith(id, modules).length > 0
  }
  /** Chunk of modules that a main screen shares with parts of the app loaded later. */
  const partsName = (id: string, modules: Modules) => {
    const [[name, firstLoad] = [null, new Set<string>()]] = mainScreensWith(id, modules)
    if (name === null) return null
    const isInListAndItem = name === 'gallery' && isOurs(id) && isIn(sets(modules).item, id, modules)
    const isJoined = isInListAndItem || (name === 'dashboard' && id.startsWith(source))
    return isJoined || iconFile(id) !== null || isImportedOutside(id, firstLoad, modules) ? `${name}-parts` : null
  }
  /** Chunk of modules that the other screens share with each other or with parts loaded later. */
  const moreName = (id: string, modules: Modules) => {
    const [first, ...more] = otherScreensWith(id, modules)
    if (first === undefined) return null
    const isShared = more.length > 0 || mainScreensWith(id, modules).length > 0 || iconFile(id) !== null
    const isSmall = (modules.getModuleInfo(id)?.code?.length ?? 0) < MAX_SINGLE_USE_BYTES
    const [screen, firstLoad] = first
    // importers in the screen's own folder come after its first load, which includes this module
    const [page = ''] = firstLoadFiles[screen]
    const isOfScreen = (importer: string) => importer.startsWith(join(source, dirname(page), '/'))
    return isShared || (isSmall && isImportedOutside(id, firstLoad, modules, isOfScreen)) ? 'more-screens' : null
  }
  /** Chunk of modules needed to show one item, and by no other first load. */
  const itemName = (id: string, modules: Modules) => {
    const isOfItem = (isOurs(id) || iconFile(id) !== null) && isIn(sets(modules).item, id, modules)
    const isNeededElsewhere = mainScreensWith(id, modules).length > 0 || otherScreensWith(id, modules).length > 0
    return isOfItem && !isNeededElsewhere ? 'item' : null
  }
  // a group also takes the dependencies of its modules, so the groups that everybody loads come first
  return [
    {
      name: (id: string, modules: Modules) =>
        isRuntime(id) || isIconBase(id) || isIn(sets(modules).start, id, modules) ? 'start' : null,
      priority: 7,
    },
    { name: textsName, priority: 6 },
    {
      name: (id: string, modules: Modules) => (isIn(sets(modules).router, id, modules) ? 'router' : null),
      priority: 5,
    },
    {
      name: (id: string, modules: Modules) =>
        isIn(sets(modules).signedIn, id, modules) || isInSignedIn(id, modules) ? 'signed-in' : null,
      priority: 4,
    },
    {
      name: (id: string, modules: Modules) =>
        isEventReader(id) || isIn(sets(modules).upkeep, id, modules) ? 'upkeep' : null,
      priority: 3,
    },
    { name: libraryName, priority: 3 },
    { name: moreName, priority: 2, maxModuleSize: MAX_SHARED_BYTES },
    { name: partsName, priority: 1, maxModuleSize: MAX_SHARED_BYTES },
    // last, after the groups of modules that other screens need as well
    { name: itemName, priority: 0 },
    { name: (id: string) => (iconFile(id) === null ? null : 'more-icons'), priority: 0 },
  ]
}

/** The modules of each first load. */
function findSets(modules: Modules) {
  return {
    start: modulesOf(startRoots, modules),
    router: modulesOf(routerRoots, modules),
    signedIn: modulesOf(signedInRoots, modules),
    upkeep: modulesOf(upkeepRoots, modules),
    main: mainScreens.map((name): [string, Set<string>] => [name, modulesOf(firstLoadFiles[name], modules)]),
    item: modulesOf(firstLoadFiles['gallery/'], modules),
    others: otherScreens.map((name): [(typeof otherScreens)[number], Set<string>] => [
      name,
      modulesOf(firstLoadFiles[name], modules),
    ]),
  }
}

/** A module of this repository. */
const isOurs = (id: string) => !id.includes('/node_modules/') && !id.startsWith('\0')

/** True for one of our modules that a module outside `firstLoad` imports, unless `isIgnored` accepts that importer. */
function isImportedOutside(
  id: string,
  firstLoad: Set<string>,
  modules: Modules,
  isIgnored: (importer: string) => boolean = () => false,
): boolean {
  const importers = modules.getModuleInfo(id)?.importers ?? []
  return isOurs(id) && importers.some((importer) => !firstLoad.has(importer) && !isIgnored(importer))
}

/** Chunk of a library that several parts need; uploading and dropping files share one. */
function libraryName(id: string): string | null {
  if (/\/@radix-ui\/react-(roving-focus|collection|presence)\//.test(id)) return 'menus'
  if (/\/node_modules\/@tanstack\/(react-virtual|virtual-core)\//.test(id)) return 'windowing'
  const isOfSending =
    /\/node_modules\/(react-dropzone|file-selector|attr-accept)\/|\/src\/lib\/api\/(uploads|effects)\.ts$/
  return isOfSending.test(id) ? 'sending' : null
}

/** Tabs: needed by many screens, but by neither of the light ones. */
const tabs = join(source, 'ui/tabs.tsx')

/** Code that draws every icon. */
const isIconBase = (id: string) => id.includes('/lucide-react/dist/esm/') && iconFile(id) === null

/** Reader of event streams: imported dynamically, and first by the upkeep. */
const isEventReader = (id: string) => /\/(eventsource-parser|packages\/shared\/src\/sse)\b/.test(id)

/** Helpers added by the bundler to join modules. */
const isRuntime = (id: string) => id.startsWith('\0rolldown') || id === '\0virtual:start'

/** Message files loaded together, by the name of their chunk: those needed first when signed out or signed in … */
const firstTexts: Readonly<Record<string, readonly string[]>> = {
  start: ['app'],
  'signed-in': ['errors', 'gallery', 'notes', 'notifications', 'reminders'],
  account: ['users', 'sign-in'],
  problems: ['problems'],
  chat: ['chat', 'conversations', 'personas', 'projects', 'shares', 'voice'],
  overview: ['overview', 'dashboard'],
}
/** … and those of rarely used screens. All others share the chunk `more`. */
const rareTexts = [
  ...['agents-logs', 'analytics', 'automation', 'chat-logs', 'effects', 'webhooks', 'memory-logs'],
  ...['settings', 'settings-admin', 'system-admin', 'trash', 'web'],
]

/** Chunk of a message file; null for the frame's English texts, which are part of its code. */
function textsName(id: string): string | null {
  const [, language, namespace = ''] = /\/src\/messages\/([a-z]{2})\/([\w-]+)\.json$/.exec(id) ?? []
  if (language === undefined || (language === 'en' && namespace === 'app')) return null
  const [name] = Object.entries(firstTexts).find(([, namespaces]) => namespaces.includes(namespace)) ?? [
    rareTexts.includes(namespace) ? 'rare' : 'more',
  ]
  return `texts-${language}-${name}`
}
