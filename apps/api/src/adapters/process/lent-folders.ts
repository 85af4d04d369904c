import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, lstat, mkdir, readdir, rename, rm, unlink } from 'node:fs/promises'
import { extname, join } from 'node:path'

/**
 * Two folders that one process works at: it reads what is lent to it and leaves what it makes. Where there is a cage,
 * nothing else of people's files is there for it.
 */
export interface Desk {
  /** What is lent lies here; the process cannot change it. */
  readonly lent: string
  /** What the process makes. */
  readonly made: string
  /** Puts a file there under another name until the desk is cleared; the same file always under the same one. */
  lend(filename: string): Promise<string>
  /**
   * Moves a file that the process made to where it is wanted.
   * @param name its name, or its path, of which only the name counts.
   * @throws Error when it is anything but a plain file: a link could name whatever this program may read.
   */
  take(name: string, destination: string): Promise<void>
  /** Takes everything away. */
  clear(): Promise<void>
  /** Removes the desk itself. */
  remove(): Promise<void>
}

/** How long the hash in a name on the desk is. */
const HASH_CHARACTERS = 32
/** An extension that a lent file may keep, because some readers look at it. */
const SAFE_EXTENSION = /^\.[a-z0-9]{1,8}$/i

/** Tells the desks of this program from what another one left. */
const owner = randomUUID().slice(0, 8)

/** Whether this program made a desk with this name. */
export function isOwnDesk(name: string): boolean {
  return name.startsWith(`${owner}-`)
}

/** Makes a desk inside a folder on the disk of the files that will be lent, so that nothing of them is copied. */
export async function openDesk(directory: string): Promise<Desk> {
  const name = `${owner}-${randomUUID()}`
  const [lent, made] = [join(directory, 'lent', name), join(directory, 'made', name)]
  for (const folder of [lent, made]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const lentNames = new Set<string>()

  return {
    lent,
    made,

    async lend(filename) {
      const extension = extname(filename)
      const hash = createHash('sha256').update(filename).digest('hex').slice(0, HASH_CHARACTERS)
      const name = `${hash}${SAFE_EXTENSION.test(extension) ? extension : ''}`
      const there = join(lent, name)
      if (lentNames.has(name)) return there
      lentNames.add(name)
      await link(filename, there).catch((error: NodeJS.ErrnoException) => {
        // another disk, or one that knows no second names
        if (error.code === 'ENOENT') throw error
        return copyFile(filename, there, constants.COPYFILE_FICLONE)
      })
      return there
    },

    async take(given, destination) {
      await rename(join(made, nameIn(given)), destination).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EXDEV') throw error
        await requirePlain(join(made, nameIn(given)))
        await copyFile(join(made, nameIn(given)), destination)
      })
      // looked at where the process cannot exchange it any more
      await requirePlain(destination)
    },

    async clear() {
      const names = [...lentNames]
      lentNames.clear()
      // nobody else puts anything there, while a process may make whatever it likes
      for (const name of names) await unlink(join(lent, name)).catch(unlessGone)
      for (const left of await readdir(made)) await rm(join(made, left), { recursive: true, force: true })
    },

    async remove() {
      for (const folder of [lent, made]) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What could not be lent is not there. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

function nameIn(given: string): string {
  const name = given.split('/').at(-1) ?? ''
  if (name === '' || name === '.' || name === '..') throw new Error('A process names no file that it made.')
  return name
}

async function requirePlain(filename: string): Promise<void> {
  const found = await lstat(filename)
  if (found.isFile()) return
  await rm(filename, { recursive: true, force: true })
  throw new Error('A process left something that is no plain file.')
}
