import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Folders with programs on every Linux; some, such as `/usr/sbin`, are often missing from a user's PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** This process's PATH, followed by the system's own folders. */
export function programSearchPath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const systemFolders = process.platform === 'win32' ? [] : SYSTEM_FOLDERS
  return [...new Set([...folders, ...systemFolders])].join(delimiter)
}

/** Absolute path of the first executable with this name; undefined when there is none. @param searchPath in PATH's format. */
export async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const path = join(folder, file)
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isExecutable) return path
  }
  return undefined
}
