import { dirname, join } from 'node:path'
import { firstLook } from './signed-in-files.ts'

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
/** The screens that people open most, and begin at: what they load is kept small. By the name of the file of their parts. */
const mainScreens = ['chat', 'gallery', 'dashboard'] as const
/** Screens whose first load mustn't grow because of code that only others need. */
const lightScreens: readonly string[] = ['chat', 'gallery']
/** All screens but the main ones. */
const otherScreens = ['agents', 'upload', 'notes', 'effects', 'memory', 'admin'] as const
/** Larger modules get a chunk of their own. */
const LARGEST_SHARED_BYTES = 25_000
/**
 * Modules up to this size that a single screen needs at first are merged into the shared chunk: the extra request would
 * cost more than the bytes.
 */
const MAX_OF_ONE_BYTES = 3_000

/** Every module that these files import at once, themselves included. */
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
    // these import all of their parts, of which each screen uses few
    if (!/\/(radix-ui|lucide-react)\/dist\//.test(id)) waiting.push(...(module?.importedIds ?? []))
  }
  return reached
}

/** The files of the icons that a module names, as `iconFile` tells them. */
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

/** As what a module is in a set: some icons have older names, too. */
function namesOf(id: string, modules: Modules): string[] {
  const icon = iconFile(id)
  if (icon === null) return [id]
  const [, aliases = ''] = /aliases:\s*\[([^\]]*)\]/.exec(modules.getModuleInfo(id)?.code ?? '') ?? []
  return [icon, ...[...aliases.matchAll(/["'`]([\w-]+)["'`]/g)].map(([, alias]) => `icon ${alias}`)]
}

/**
 * Chunks of the build: every file costs a round trip, so a screen needs a handful of them instead of one for each part
 * that some screens share. Modules in no group stay with the screens that use them.
 */
export function chunkGroups() {
  let cachedSets: ReturnType<typeof findSets> | undefined
  const sets = (modules: Modules) => {
    cachedSets ??= findSets(modules)
    return cachedSets
  }
  const isIn = (set: Set<string>, id: string, modules: Modules) => namesOf(id, modules).some((name) => set.has(name))
  const mainWith = (id: string, modules: Modules) => sets(modules).main.filter(([, set]) => isIn(set, id, modules))
  const othersWith = (id: string, modules: Modules) => sets(modules).others.filter(([, set]) => isIn(set, id, modules))
  /**
   * True for modules that several main screens need, a light screen and any other, or the upkeep and a screen: a separate
   * chunk would cost more than its bytes.
   */
  const isOfEverybody = (id: string, modules: Modules) => {
    const main = mainWith(id, modules)
    if (main.length > 1) return true
    // a screen would wait for all of the upkeep because of a line or two
    if (isIn(sets(modules).upkeep, id, modules) && main.length + othersWith(id, modules).length > 0) return true
    const isSmall = isOurs(id) || iconFile(id) !== null
    // an item would load all that the chat and the dashboard have for later, because of a line or two
    const isBesideItem =
      isSmall && id !== tabs && main.length === 1 && main[0]?.[0] !== 'gallery' && isIn(sets(modules).item, id, modules)
    if (isBesideItem) return true
    return isSmall && lightScreens.includes(main[0]?.[0] ?? '') && othersWith(id, modules).length > 0
  }
  /** Chunk of modules that a main screen shares with parts of the app loaded later. */
  const partsName = (id: string, modules: Modules) => {
    const [[name, own] = [null, new Set<string>()]] = mainWith(id, modules)
    if (name === null) return null
    const isOfListAndItem = name === 'gallery' && isOurs(id) && isIn(sets(modules).item, id, modules)
    const isJoined = isOfListAndItem || (name === 'dashboard' && id.startsWith(source))
    return isJoined || iconFile(id) !== null || isImportedOutside(id, own, modules) ? `${name}-parts` : null
  }
  /** Chunk of modules that other screens share with each other or with parts loaded later. */
  const moreName = (id: string, modules: Modules) => {
    const [own, ...more] = othersWith(id, modules)
    if (own === undefined) return null
    const isShared = more.length > 0 || mainWith(id, modules).length > 0 || iconFile(id) !== null
    const isSmall = (modules.getModuleInfo(id)?.code?.length ?? 0) < MAX_OF_ONE_BYTES
    const [screen, atFirst] = own
    // what the screen itself loads later has all of this by then
    const [page = ''] = firstLook[screen]
    const isOfScreen = (importer: string) => importer.startsWith(join(source, dirname(page), '/'))
    return isShared || (isSmall && isImportedOutside(id, atFirst, modules, isOfScreen)) ? 'more-screens' : null
  }
  /** Chunk of modules needed to show one item, and by no other first load. */
  const itemName = (id: string, modules: Modules) => {
    const isOfItem = (isOurs(id) || iconFile(id) !== null) && isIn(sets(modules).item, id, modules)
    const isOfOthers = mainWith(id, modules).length > 0 || othersWith(id, modules).length > 0
    return isOfItem && !isOfOthers ? 'item' : null
  }
  // the dependencies of what a group takes go along with it, so what everybody loads comes first
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
        isIn(sets(modules).signedIn, id, modules) || isOfEverybody(id, modules) ? 'signed-in' : null,
      priority: 4,
    },
    {
      name: (id: string, modules: Modules) =>
        isEventReader(id) || isIn(sets(modules).upkeep, id, modules) ? 'upkeep' : null,
      priority: 3,
    },
    { name: libraryName, priority: 3 },
    { name: moreName, priority: 2, maxModuleSize: LARGEST_SHARED_BYTES },
    { name: partsName, priority: 1, maxModuleSize: LARGEST_SHARED_BYTES },
    // after all that takes what others need as well
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
    main: mainScreens.map((name): [string, Set<string>] => [name, modulesOf(firstLook[name], modules)]),
    item: modulesOf(firstLook['gallery/'], modules),
    others: otherScreens.map((name): [(typeof otherScreens)[number], Set<string>] => [
      name,
      modulesOf(firstLook[name], modules),
    ]),
  }
}

/** A module of this repository. */
const isOurs = (id: string) => !id.includes('/node_modules/') && !id.startsWith('\0')

/** True for a module of our own imported from outside `own` by a module that `belongs` doesn't accept. */
function isImportedOutside(
  id: string,
  own: Set<string>,
  modules: Modules,
  belongs: (importer: string) => boolean = () => false,
): boolean {
  const importers = modules.getModuleInfo(id)?.importers ?? []
  return isOurs(id) && importers.some((importer) => !own.has(importer) && !belongs(importer))
}

/** The file of libraries that several parts need; what sends files and pictures is with what takes them. */
function libraryName(id: string): string | null {
  if (/\/@radix-ui\/react-(roving-focus|collection|presence)\//.test(id)) return 'menus'
  if (/\/node_modules\/@tanstack\/(react-virtual|virtual-core)\//.test(id)) return 'windowing'
  const isOfSending =
    /\/node_modules\/(react-dropzone|file-selector|attr-accept)\/|\/src\/lib\/api\/(uploads|effects)\.ts$/
  return isOfSending.test(id) ? 'sending' : null
}

/** Needed by many screens, and by neither of the lightest. */
const tabs = join(source, 'ui/tabs.tsx')

/** Code that draws every icon. */
const isIconBase = (id: string) => id.includes('/lucide-react/dist/esm/') && iconFile(id) === null

/** Reader of event streams: imported dynamically, and first by the upkeep. */
const isEventReader = (id: string) => /\/(eventsource-parser|packages\/shared\/src\/sse)\b/.test(id)

/** Helpers added by the bundler to join modules. */
const isRuntime = (id: string) => id.startsWith('\0rolldown') || id === '\0virtual:start'

/** Words whose texts are loaded together, by the name of their file: those that are read first by whoever is signed out or in … */
const firstTexts: Readonly<Record<string, readonly string[]>> = {
  start: ['app'],
  'signed-in': ['errors', 'gallery', 'notes', 'notifications', 'reminders'],
  account: ['users', 'sign-in'],
  problems: ['problems'],
  chat: ['chat', 'conversations', 'personas', 'projects', 'shares', 'voice'],
  overview: ['overview', 'dashboard'],
}
/** … and those of screens that few people open, or rarely. What is left over is in a file of its own, too. */
const rareTexts = [
  ...['agents-logs', 'analytics', 'automation', 'chat-logs', 'effects', 'webhooks', 'memory-logs'],
  ...['settings', 'settings-admin', 'system-admin', 'trash', 'web'],
]

/** The file of a text. English ones of the frame are in its code. */
function textsName(id: string): string | null {
  const [, language, word = ''] = /\/src\/messages\/([a-z]{2})\/([\w-]+)\.json$/.exec(id) ?? []
  if (language === undefined || (language === 'en' && word === 'app')) return null
  const [name] = Object.entries(firstTexts).find(([, words]) => words.includes(word)) ?? [
    rareTexts.includes(word) ? 'rare' : 'more',
  ]
  return `texts-${language}-${name}`
}
