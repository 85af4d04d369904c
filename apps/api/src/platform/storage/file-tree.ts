import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** Makes a folder that names the same files, without a copy where the disk can do that. */
export async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await linkTree(source, target)
    else await link(source, target).catch(() => copyFile(source, target))
  }
}

/** Removes the files of a folder that are not among those to keep, which are paths with slashes. */
export async function removeOtherFiles(folder: string, keptNames: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const filename = join(entry.parentPath, entry.name)
    const isKept = keptNames.has(relative(folder, filename).split(sep).join('/'))
    if (!entry.isDirectory() && !isKept) await rm(filename)
  }
}
