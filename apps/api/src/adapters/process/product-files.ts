import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessToStart } from './cage.ts'

/** Something of this machine's disk that is there in a cage, under the same path; nothing else is. */
export interface Shown {
  path: string
  how: 'read' | 'write' | 'link'
  /** Target of a symbolic link. */
  target?: string
}

const root = resolve(import.meta.dirname, '../../../../..')
/** Programs and libraries of the system; `/bin` and the like are links on most. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']
/** Files of the system for library lookup, time zone and processor count. */
const systemFiles = [
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/ld-musl-x86_64.path', '/etc/alternatives'],
  ...['/etc/localtime', '/sys/devices/system/cpu'],
]
/** Product files visible in a cage: the code and its packages. Their parent folder may contain `.env` and the data. */
const productFiles = [
  ...['package.json', 'node_modules', 'packages/shared/package.json', 'packages/shared/src'],
  ...['packages/shared/node_modules', 'apps/api/package.json', 'apps/api/node_modules', 'apps/api/src'],
].map((name) => join(root, name))

/** All that a process in a cage can see of the disk. */
export function shownTo({ module, reads, desk }: ProcessToStart): Shown[] {
  const [systemLists, productLists] = [
    [...systemFolders, ...systemFiles, ...libraryFolders()],
    [...productFiles, process.execPath, dirname(fileURLToPath(module)), ...reads],
  ]
  return [
    ...withoutRepeats([...systemLists, ...productLists]).flatMap(describe),
    ...describe(desk.lent),
    { path: desk.made, how: 'write' },
  ]
}

function libraryFolders(): string[] {
  return (process.env.LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder.startsWith('/'))
}

/** Drops duplicate paths and those inside another one. */
function withoutRepeats(paths: string[]): string[] {
  return paths.filter((path, at) => !paths.some((other, n) => (other === path ? n < at : path.startsWith(`${other}/`))))
}

/** Nothing for what is not there. */
function describe(path: string): Shown[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  // a link is shown as what it leads to, but for those that the system has in place of folders
  if (found.isSymbolicLink() && systemFolders.includes(path)) {
    return [{ path, how: 'link', target: readlinkSync(path) }]
  }
  return [{ path, how: 'read' }]
}
