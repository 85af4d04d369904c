import { join } from 'node:path'
import { firstLook } from './signed-in-files.ts'

interface Modules {
  getModuleInfo(
    id: string,
  ): { importedIds: readonly string[]; importers: readonly string[]; code: string | null } | null
}

const source = join(import.meta.dirname, 'src')
/** What everybody loads: the beginning of the app, and the screen on which one signs in. */
const startRoots = ['main.tsx']
/** What every other screen needs, of people who are signed out as well. */
const routerRoots = ['app/router.tsx']
/** What whoever is signed in loads on every screen. */
const signedInRoots = ['app/signed-in-layout.tsx']
/** The screens that people open most, and begin at: what they load is kept small. By the name of the file of their parts. */
const mainScreens = ['chat', 'gallery', 'dashboard'] as const
/** Those whose first look is not made larger by what others need. */
const lightScreens: readonly string[] = ['chat', 'gallery']
/** All others. */
const otherScreens = ['agents', 'upload', 'notes', 'effects', 'memory', 'admin'] as const
/** What is larger has a file of its own. */
const LARGEST_SHARED_BYTES = 25_000
/** What one screen alone needs at first is with what all need up to this size: a file for it would cost more than it weighs. */
const MOST_OF_ONE_BYTES = 3_000

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
    .map((name) =>
      (name.trim().split(/\s/)[0] ?? '').replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[a-z])(?=\d)/g, '-').toLowerCase(),
    )
    .filter((name) => name !== '')
    .map((name) => `icon ${name}`)
}

/** What stands for the file of an icon in a set of modules; null for any other file. */
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
 * Which files the app is built into: a screen needs a handful of them instead of one for each part that some screens share,
 * because every file costs a round trip. What is in no group stays with the screens that use it.
 */
export function chunkGroups() {
  let known: ReturnType<typeof findSets> | undefined
  const sets = (modules: Modules) => {
    known ??= findSets(modules)
    return known
  }
  const isIn = (set: Set<string>, id: string, modules: Modules) => namesOf(id, modules).some((name) => set.has(name))
  const mainWith = (id: string, modules: Modules) => sets(modules).main.filter(([, set]) => isIn(set, id, modules))
  const othersWith = (id: string, modules: Modules) => sets(modules).others.filter(([, set]) => isIn(set, id, modules))
  /** What more than one of the main screens needs, or one of the lightest and some other: a file for it would cost more than it weighs. */
  const isOfEverybody = (id: string, modules: Modules) => {
    const main = mainWith(id, modules)
    if (main.length > 1) return true
    const isSmall = isOurs(id) || iconFile(id) !== null
    // an item would load all that the chat and the dashboard have for later, because of a line or two
    const isBesideItem =
      isSmall && id !== tabs && main.length === 1 && main[0]?.[0] !== 'gallery' && isIn(sets(modules).item, id, modules)
    if (isBesideItem) return true
    return isSmall && lightScreens.includes(main[0]?.[0] ?? '') && othersWith(id, modules).length > 0
  }
  /** What one of the main screens shares with parts of the app that are loaded later. */
  const partsName = (id: string, modules: Modules) => {
    const [[name, own] = [null, new Set<string>()]] = mainWith(id, modules)
    if (name === null) return null
    const isOfListAndItem = name === 'gallery' && isOurs(id) && isIn(sets(modules).item, id, modules)
    const isJoined = isOfListAndItem || (name === 'dashboard' && id.startsWith(source))
    return isJoined || iconFile(id) !== null || isImportedOutside(id, own, modules) ? `${name}-parts` : null
  }
  /** What other screens share with each other, or with parts that are loaded later. */
  const moreName = (id: string, modules: Modules) => {
    const [own, ...more] = othersWith(id, modules)
    if (own === undefined) return null
    const isShared = more.length > 0 || mainWith(id, modules).length > 0 || iconFile(id) !== null
    const isSmall = (modules.getModuleInfo(id)?.code?.length ?? 0) < MOST_OF_ONE_BYTES
    const [screen, atFirst] = own
    // what the screen itself loads later has all of this by then
    const isOfScreen = (importer: string) => importer.startsWith(join(source, 'features', screen, '/'))
    return isShared || (isSmall && isImportedOutside(id, atFirst, modules, isOfScreen)) ? 'more-screens' : null
  }
  /** What one item is shown with, and no first look beside it. */
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
        isEventStream(id) || isIn(sets(modules).signedIn, id, modules) || isOfEverybody(id, modules)
          ? 'signed-in'
          : null,
      priority: 4,
    },
    { name: libraryName, priority: 3 },
    { name: moreName, priority: 2, maxModuleSize: LARGEST_SHARED_BYTES },
    { name: partsName, priority: 1, maxModuleSize: LARGEST_SHARED_BYTES },
    // after all that takes what others need as well
    { name: itemName, priority: 0 },
    { name: (id: string) => (iconFile(id) === null ? null : 'more-icons'), priority: 0 },
  ]
}

/** What is needed at first by whom. */
function findSets(modules: Modules) {
  return {
    start: modulesOf(startRoots, modules),
    router: modulesOf(routerRoots, modules),
    signedIn: modulesOf(signedInRoots, modules),
    main: mainScreens.map((name): [string, Set<string>] => [name, modulesOf(firstLook[name], modules)]),
    item: modulesOf(firstLook['gallery/'], modules),
    others: otherScreens.map((name): [string, Set<string>] => [name, modulesOf(firstLook[name], modules)]),
  }
}

/** A module of this repository. */
const isOurs = (id: string) => !id.includes('/node_modules/') && !id.startsWith('\0')

/** Whether a module of our own is imported from outside of these, and of what belongs to them besides. */
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
    /\/node_modules\/(react-dropzone|file-selector|attr-accept)\/|\/src\/api\/(upload|partial-uploads|send-with-progress|effects)\.ts$/
  return isOfSending.test(id) ? 'sending' : null
}

/** Needed by many screens, and by neither of the lightest. */
const tabs = join(source, 'ui/tabs.tsx')

/** What every icon is drawn with. */
const isIconBase = (id: string) => id.includes('/lucide-react/dist/esm/') && iconFile(id) === null

/** What reads streams of events: loaded by a call of its own, which every signed-in page makes. */
const isEventStream = (id: string) => /\/(eventsource-parser|packages\/shared\/src\/sse)\b/.test(id)

/** What the bundler adds to join modules. */
const isRuntime = (id: string) => id.startsWith('\0rolldown') || id === '\0virtual:start'

/** Words whose texts are loaded together, by the name of their file: those that are read first by whoever is signed out or in … */
const firstTexts: Readonly<Record<string, readonly string[]>> = {
  start: ['app'],
  'signed-in': ['errors', 'gallery', 'notes', 'notifications', 'reminders'],
  account: ['users', 'sign-in'],
  told: ['told'],
  chat: ['chat', 'conversations', 'personas', 'projects', 'shares', 'voice'],
  overview: ['overview', 'dashboard'],
}
/** … and those of screens that few people open, or rarely. What is left over is in a file of its own, too. */
const rareTexts = [
  ...['agents-logs', 'analytics', 'automation', 'chat-logs', 'effects', 'webhooks', 'memory-logs'],
  ...['settings', 'settings-admin', 'system-admin', 'web'],
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
