import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ParserCheck } from '@mira/shared'
import { ValidationError } from '../../errors.ts'
import { asReason, type Sentence, say } from '../../sentences.ts'
import { findProgram, programSearchPath } from '../lib/find-program.ts'
import { removeTree } from '../lib/remove-tree.ts'
import type { ProcessLog } from './process-protocol.ts'
import {
  type Command,
  createLocalSandbox,
  createNoSandbox,
  type ProcessToStart,
  type Reached,
  type Sandbox,
} from './sandbox.ts'
import { createServiceSandbox } from './sandbox-service.ts'
import { trySandbox } from './sandbox-trial.ts'
import { isOwnTaskFolder } from './task-folder.ts'

/** A path of this machine that is visible in a sandbox, under the same name. */
interface VisiblePath {
  path: string
  how: 'read' | 'write' | 'link'
  /** Target of a symbolic link. */
  target?: string
}

const root = resolve(import.meta.dirname, '../../../../..')
/** Programs and libraries of the system; `/bin` and the like are mostly symlinks. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']
/** Files of the system for library lookup, time zone and processor count. */
const systemFiles = [
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/ld-musl-x86_64.path', '/etc/alternatives'],
  ...['/etc/localtime', '/sys/devices/system/cpu'],
]
/** Product files visible in a sandbox: the code and its packages. Their parent folder may contain `.env` and the data. */
const productFiles = [
  ...['package.json', 'node_modules', 'packages/shared/package.json', 'packages/shared/src'],
  ...['packages/shared/node_modules', 'apps/api/package.json', 'apps/api/node_modules', 'apps/api/src'],
].map((name) => join(root, name))

/** All paths that a process in a sandbox can see. */
function visiblePathsOf({ module, reads, taskFolder }: ProcessToStart): VisiblePath[] {
  const [systemLists, productLists] = [
    [...systemFolders, ...systemFiles, ...libraryFolders()],
    [...productFiles, process.execPath, dirname(fileURLToPath(module)), ...reads],
  ]
  return [
    ...withoutRepeats([...systemLists, ...productLists]).flatMap(describe),
    ...describe(taskFolder.inputFolder),
    { path: taskFolder.outputFolder, how: 'write' },
  ]
}

function libraryFolders(): string[] {
  return (process.env.LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder.startsWith('/'))
}

/** Drops duplicate paths and those inside another one. */
function withoutRepeats(paths: string[]): string[] {
  return paths.filter(
    (path, index) => !paths.some((other, n) => (other === path ? n < index : path.startsWith(`${other}/`))),
  )
}

/** A path as it's made visible in a sandbox, as a list of one; empty for a missing path. */
function describe(path: string): VisiblePath[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  // symlinks are replaced by their targets, except the system's own in place of folders
  if (stats.isSymbolicLink() && systemFolders.includes(path)) {
    return [{ path, how: 'link', target: readlinkSync(path) }]
  }
  return [{ path, how: 'read' }]
}

/**
 * Sandbox of bubblewrap: an empty root with only the paths that the process needs, no network, no visible other processes, no
 * capabilities.
 * @param program path of bubblewrap.
 */
function createBubblewrapSandbox({ directory, program }: { directory: string; program: string }): Sandbox {
  return createLocalSandbox({
    kind: 'bubblewrap',
    directory,
    wrap: (command, what) => ({ program, words: [...wordsFor(what), '--', command.program, ...command.words] }),
  })
}

function wordsFor(what: ProcessToStart): Command['words'] {
  return [
    '--unshare-all',
    // no nested user namespaces: creating them exposes parts of the kernel to attacks
    ...['--unshare-user', '--disable-userns'],
    ...['--cap-drop', 'ALL'],
    '--die-with-parent',
    '--new-session',
    ...['--hostname', 'sandbox'],
    // first, because visible paths may be in the system's memory folders (/dev/shm)
    ...['--proc', '/proc'],
    // if the server runs as root, the process owns these files even without capabilities
    ...['sys', 'sysrq-trigger', 'irq', 'bus'].flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    ...['--dev', '/dev'],
    ...visiblePathsOf(what).flatMap(({ path, how, target }) => {
      if (how === 'link') return ['--symlink', target ?? '', path]
      return [how === 'write' ? '--bind' : '--ro-bind', path, path]
    }),
    // both are in memory, which a process could fill
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', '/'],
  ]
}

const script = fileURLToPath(new URL('./sandbox-namespaces.sh', import.meta.url))
const namespaces = ['--user', '--map-root-user', '--mount', '--net', '--pid', '--ipc', '--uts']

/**
 * Sandbox of util-linux with the same restrictions. Nearly every Linux has it, but not every system allows its users to create
 * namespaces.
 * @param program path of unshare.
 */
function createNamespacesSandbox({ directory, program }: { directory: string; program: string }): Sandbox {
  return createLocalSandbox({
    kind: 'namespaces',
    directory,
    wrap(command, what) {
      // each process mounts its own empty root over it
      const root = join(directory, 'root')
      mkdirSync(root, { recursive: true, mode: 0o700 })
      const optionsOf = readOnlyMounts()
      const mounts = visiblePathsOf(what).flatMap(({ how, path, target = '-' }) => {
        return [how, path, how === 'read' ? optionsOf(path) : target]
      })
      return {
        program,
        words: [
          ...[...namespaces, '--fork', '--kill-child=KILL', '--propagation', 'private', '--'],
          ...['/bin/sh', script, root, ...mounts, '--', command.program, ...command.words],
        ],
      }
    },
  })
}

/** Flags of mounts that a namespace may not drop. */
const KEPT_FLAGS = /^(?:nosuid|nodev|noexec|nosymfollow|noatime|nodiratime|relatime)$/

/** Options for mounting a path read-only, keeping the restrictions of its mount. */
function readOnlyMounts(): (path: string) => string {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
  const flagsById = new Map(mounts.map(([id, , , , , flags = '']) => [id, flags]))
  return (path) => {
    const file = openSync(path, 'r')
    try {
      const id = /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1]
      const flags = (flagsById.get(id) ?? '').split(',').filter((flag) => KEPT_FLAGS.test(flag))
      return ['ro', ...flags].join(',')
    } finally {
      closeSync(file)
    }
  }
}

/** Chooses the sandbox for all processes that parse untrusted files. */
export interface Sandboxing {
  /** The strongest sandbox that passed its trial, for which the first caller waits; of kind `none` when none did. */
  choose(): Promise<Sandbox>
  /** Kind of the sandbox and the resources that the trial reached; null during the trial. */
  check(): ParserCheck | null
  /** @throws ValidationError when a sandbox is required but none works. */
  requireSandbox(): void
  /** Treats all users as this one, in benchmarks and tests, where a process for each user takes too long. */
  onlyUser?: string
  close(): void
}

export interface SandboxingOptions {
  /** Data folder; task folders are created in it, so that inputs can be hard links instead of copies. */
  dataDir: string
  /** True when no other server uses the folder, so that all existing task folders are leftovers. */
  isOnlyProcess: boolean
  /** Socket of a parser service; undefined runs processes on this machine. */
  serviceSocket?: string | undefined
  /** Refuse files while no sandbox works. */
  isRequired?: boolean
  /** Allowed sandboxes of this machine, strongest first; all by default. */
  kinds?: readonly ('bubblewrap' | 'namespaces')[]
  /** Folders searched for bubblewrap and unshare, in PATH's format; by default PATH and the system's own. */
  searchPath?: string
  warn?: ProcessLog | undefined
}

const REFUSED = say('files_refused', {})
const RETRY_SERVICE_MS = 5_000
const NO_SERVICE = say('no_parser_service', {})
/** Task folders untouched for this long were left behind by a killed process. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Tries the sandboxes of this machine, strongest first, and uses the first that works. A configured parser service is always
 * used: while it's unavailable, no files are read.
 */
export function createSandboxing(options: SandboxingOptions): Sandboxing {
  const { dataDir, isOnlyProcess, serviceSocket, isRequired = false, warn } = options
  const directory = join(dataDir, 'desks')
  const closing = new AbortController()
  let choosing: Promise<Sandbox> | undefined
  let check: ParserCheck | null = null

  const tryOut = async (sandbox: Sandbox): Promise<string | null> => {
    const { reached, failure } = await trySandbox(sandbox, dataDir)
    const isTight = !Object.values(reached).includes(true)
    if (failure === null && isTight) {
      check = { state: 'ok', engine: sandbox.kind, reaches: reached }
      return null
    }
    return `${sandbox.kind}: ${isTight ? failure : reachedWords(reached)}`
  }
  const useService = async (socket: string) => {
    const sandbox = createServiceSandbox({ directory, socket })
    const settle = async () => {
      for (let failure = await tryOut(sandbox); failure !== null; failure = await tryOut(sandbox)) {
        if (check === null) warn?.({ failure }, NO_SERVICE.text)
        check = { state: 'error', engine: sandbox.kind, reaches: null, ...asReason(NO_SERVICE) }
        await sleep(RETRY_SERVICE_MS, undefined, { ref: false, signal: closing.signal })
      }
    }
    // only rejects when closing
    void settle().catch(() => {})
    return sandbox
  }
  const chooseSandbox = async () => {
    // the service itself removes its processes' results
    await prepare(directory, isOnlyProcess, serviceSocket === undefined ? ['lent', 'made'] : ['lent'])
    if (serviceSocket !== undefined) return useService(serviceSocket)
    const failures: string[] = []
    for (const sandbox of await candidates(directory, options)) {
      const failure = await tryOut(sandbox)
      if (failure === null) return sandbox
      failures.push(failure)
    }
    const reason = sentenceWithout(failures)
    warn?.({ tried: failures }, reason.text)
    const none = createNoSandbox(directory)
    const { reached } = await trySandbox(none, dataDir)
    check = { state: isRequired ? 'error' : 'off', engine: none.kind, reaches: reached, ...asReason(reason) }
    return none
  }
  return {
    choose: () => {
      choosing ??= chooseSandbox()
      return choosing
    },
    check: () => check,
    requireSandbox: () => {
      if (isRequired && check?.engine === 'none') throw new ValidationError(REFUSED, { code: 'files_refused' })
    },
    close: () => closing.abort(),
  }
}

/** No sandbox, for programs that only read their own files. @param directory parent of the task folders. */
export function withoutSandbox(directory: string): Sandboxing {
  const sandbox = createNoSandbox(directory)
  return {
    choose: async () => sandbox,
    check: () => null,
    requireSandbox: () => {},
    onlyUser: 'this program',
    close: () => {},
  }
}

async function prepare(directory: string, isOnlyProcess: boolean, kinds: ('lent' | 'made')[]): Promise<void> {
  for (const kind of kinds) {
    const folder = join(directory, kind)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(folder)) {
      if (isOwnTaskFolder(name)) continue
      const age = await stat(join(folder, name)).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      )
      if (isOnlyProcess || age > ABANDONED_AFTER_MS) await removeTree(join(folder, name))
    }
  }
}

async function candidates(directory: string, options: SandboxingOptions): Promise<Sandbox[]> {
  const { kinds = ['bubblewrap', 'namespaces'], searchPath = programSearchPath() } = options
  if (process.platform !== 'linux') return []
  const sandboxes = await Promise.all(
    kinds.map(async (kind) => {
      const program = await findProgram(kind === 'bubblewrap' ? 'bwrap' : 'unshare', searchPath)
      if (program === undefined) return []
      return [(kind === 'bubblewrap' ? createBubblewrapSandbox : createNamespacesSandbox)({ directory, program })]
    }),
  )
  return sandboxes.flat()
}

function reachedWords(reached: Reached): string {
  const names = Object.entries(reached).flatMap(([name, isReached]) => (isReached ? [name] : []))
  return `it still reaches ${names.join(', ')}`
}

function sentenceWithout(failures: string[]): Sentence {
  if (process.platform !== 'linux') {
    return say('no_cage_here', {})
  }
  return failures.length === 0 ? say('no_cage', {}) : say('no_cage_held', {})
}
