/** A file of a folder that was dropped, and where it stands in it: `letters/2026/a.txt`. */
export interface DroppedFile {
  file: File
  path: string
}

/** Dropped items: files, or folders with all their contents and the files dropped with them. */
export interface Dropped {
  isFolder: boolean
  files: DroppedFile[]
}

/** Looks into what is dropped; called while that happens, as browsers forget it at once. */
export function droppedFiles({ items }: Pick<DataTransfer, 'items'>): Promise<Dropped> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return readEntries(entries)
}

async function readEntries(entries: FileSystemEntry[]): Promise<Dropped> {
  const files: DroppedFile[] = []
  for (const entry of entries) for await (const one of filesOf(entry)) files.push(one)
  return { isFolder: entries.some(isFolder), files }
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

async function* filesOf(entry: FileSystemEntry): AsyncGenerator<DroppedFile> {
  if (!isFolder(entry)) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    yield { file, path: entry.fullPath.replace(/^\//, '') }
    return
  }
  const reader = entry.createReader()
  for (;;) {
    // a hundred at a time
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return
    for (const inside of some) yield* filesOf(inside)
  }
}
