import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { programSearchPath } from '../lib/find-program.ts'
import { compiledReaders } from './compiled-readers.ts'
import {
  CHANNEL_FD,
  type FromProcess,
  type ProcessArgument,
  type ProcessSettings,
  readMessages,
  requireMessage,
  type ToProcess,
  writeMessage,
} from './process-protocol.ts'
import type { TaskFolder } from './task-folder.ts'

/** Forbidden resources that a process could reach. */
export interface ReachableResources {
  network: boolean
  /** Keys, passwords, the server's environment. */
  secrets: boolean
  /** Users' files that aren't among its inputs. */
  files: boolean
}

/** Sandboxes for processes that parse untrusted files, strongest first. */
export const sandboxKinds = ['bubblewrap', 'namespaces', 'service', 'none'] as const
export type SandboxKind = (typeof sandboxKinds)[number]

export interface ProcessToStart {
  /** A module that calls serveTasks. */
  module: URL
  settings: ProcessSettings
  /** Maximum JavaScript heap, in megabytes. */
  heapLimitMb: number
  environment: Record<string, string>
  /** Paths that it reads besides the product's code: data of its engine, never users' files. */
  reads: string[]
  taskFolder: TaskFolder
}

export interface ProcessEnd {
  code: number | null
  signal: string | null
  /** Last lines of its output. */
  errorOutput: string
  /** True when it never started. */
  isUnstartable: boolean
}

export interface ProcessListener {
  onMessage(message: FromProcess): void
  onOutput(text: string): void
  /** Called once, at the end. */
  onEnd(end: ProcessEnd): void
}

/** A started process, on this machine or in the parser service. */
export interface ProcessLink {
  /** Id of the process to kill; 0 when it isn't on this machine. */
  pid: number
  send(message: ToProcess): void
  kill(): void
  /** Lets this program exit although the process is running. */
  unref(): void
  ref(): void
}

/** A way to start processes. */
export interface Sandbox {
  kind: SandboxKind
  /** Parent of its task folders. */
  directory: string
  /** Socket of its service, when it has one. */
  socket?: string
  start(toStart: ProcessToStart, listener: ProcessListener): ProcessLink
}

/** A program with its arguments. */
export interface Command {
  program: string
  args: string[]
}

/** Variables without secrets; no others are inherited. */
const inheritedVariables = ['LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'SystemRoot']
/**
 * These keep freed memory in the C library, in large pages: such a process handles one large input after the other and ends.
 * Returning each block to the system costs several times the actual work, above all in a virtual machine
 * (docs/log/performance.md).
 */
const memoryVariables = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(32 * 1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(256 * 1024 * 1024),
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
}
/** Part of util-linux. */
const PRLIMIT = '/usr/bin/prlimit'
/** An idle Node already maps half a gigabyte, and each thread's stack 8 MB; libraries start several per processor. */
const MEMORY_MARGIN_MB = 4_096
const MAX_OPEN_FILES = 4_096
const MAX_THREADS = 1_024
/** Limit of one message. Pictures and sound are exchanged through files; of what's sent in messages, speech is the largest. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** Number of characters kept from the end of a process's output. */
const KEPT_CHARACTERS = 1_000

/** Sandbox of processes on this machine. @param wrap turns a command into one that runs it in the sandbox. */
export function createLocalSandbox({
  kind,
  directory,
  wrap,
}: Pick<Sandbox, 'kind' | 'directory'> & { wrap(command: Command, toStart: ProcessToStart): Command }): Sandbox {
  return {
    kind,
    directory,
    start: (toStart, listener) =>
      startHere(wrap(withLimits(nodeCommand(toStart), toStart, true), toStart), toStart, listener),
  }
}

/** Starts processes without a sandbox, only with limits of memory and time, and without secrets in their environment. */
export function createNoSandbox(directory: string): Sandbox {
  return {
    kind: 'none',
    directory,
    start: (toStart, listener) => startHere(withLimits(nodeCommand(toStart), toStart, false), toStart, listener),
  }
}

/** Starts a process as a system user who runs nothing else. */
export function startAsUser(toStart: ProcessToStart, userId: number, listener: ProcessListener): ProcessLink {
  return startHere(withLimits(nodeCommand(toStart), toStart, true), toStart, listener, userId)
}

/**
 * Adds kernel limits to a command, in case a file takes over the process together with its own guard.
 * @param isAlone true when its user or user namespace runs nothing else: only then can the number of its threads be limited.
 */
function withLimits(command: Command, { settings }: ProcessToStart, isAlone: boolean): Command {
  if (!existsSync(PRLIMIT)) return command
  const dataBytes = (MEMORY_MARGIN_MB + 2 * settings.memoryLimitMb) * 1024 * 1024
  const limits = ['--core=0', `--nofile=${MAX_OPEN_FILES}`, `--data=${dataBytes}`]
  if (isAlone) limits.push(`--nproc=${MAX_THREADS}`)
  return { program: PRLIMIT, args: [...limits, '--', command.program, ...command.args] }
}

function nodeCommand({ module, settings, heapLimitMb, taskFolder }: ProcessToStart): Command {
  const argument: ProcessArgument = { ...settings, outputFolder: taskFolder.outputFolder }
  const args = [
    `--max-old-space-size=${Math.floor(heapLimitMb)}`,
    // otherwise the young generation grows to 100 MB
    '--max-semi-space-size=8',
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(module),
    JSON.stringify(argument),
  ]
  return { program: process.execPath, args }
}

function startHere(
  { program, args }: Command,
  toStart: ProcessToStart,
  listener: ProcessListener,
  userId?: number,
): ProcessLink {
  // HOME is set because libraries need it while loading, and a sandbox has no user with a home
  const child = spawn(program, args, {
    env: {
      ...pick(process.env, inheritedVariables),
      // building the sandbox needs /usr/sbin (pivot_root), which isn't on an ordinary user's PATH
      PATH: programSearchPath(),
      ...memoryVariables,
      TMPDIR: toStart.taskFolder.outputFolder,
      HOME: toStart.taskFolder.outputFolder,
      // compiling the imports would take up to a third of the start
      NODE_COMPILE_CACHE: compiledReaders,
      ...toStart.environment,
    },
    // not Node's own IPC channel, which would read messages of any length from a compromised process
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // its own process group, so that its children are killed with it
    detached: process.platform !== 'win32',
    ...(userId === undefined ? {} : { uid: userId, gid: userId }),
  })
  let errorOutput = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    listener.onOutput(text)
    errorOutput = (errorOutput + text).slice(-KEPT_CHARACTERS)
  })
  child.on('error', (error) => {
    if (child.pid !== undefined) return
    listener.onEnd({ code: null, signal: null, errorOutput: error.message, isUnstartable: true })
  })
  // not `exit`, after which the last output may still arrive
  child.on('close', (code, signal) => listener.onEnd({ code, signal, errorOutput, isUnstartable: false }))
  const channel = child.stdio[CHANNEL_FD] as Socket
  readMessages(channel, MAX_MESSAGE_BYTES, (message) => listener.onMessage(requireMessage(message)))
  channel.on('error', () => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child)
  })
  return {
    pid: child.pid ?? 0,
    send: (message) => writeMessage(channel, message),
    kill: () => killGroup(child),
    unref: () => {
      child.unref()
      channel.unref()
      setReference(child.stderr, 'unref')
    },
    ref: () => {
      child.ref()
      channel.ref()
      setReference(child.stderr, 'ref')
    },
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function pick(environment: NodeJS.ProcessEnv, names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}

/** Calls `ref` or `unref` of a pipe, which the types lack. */
function setReference(stream: unknown, how: 'ref' | 'unref'): void {
  if (stream instanceof Socket) stream[how]()
}
