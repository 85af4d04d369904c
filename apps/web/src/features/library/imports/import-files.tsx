import { type ImportSource, importsMedia } from '@mira/shared/constants/media'
import { isSystemFile } from '@mira/shared/constants/system-files'
import { FolderOpen, FolderTree } from 'lucide-react'
import { type DragEvent, useRef, useState } from 'react'
import { canDrop } from '../../../lib/browser/can-drop.ts'
import { createZip, mergeZips } from '../../../lib/browser/zip-blob.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'

/** A dropped file with its path, like `letters/2026/a.txt`. */
interface DroppedFile {
  file: File
  path: string
}

/** Dropped items: files, or folders with all their contents and the files dropped with them. */
interface Dropped {
  isFolder: boolean
  files: DroppedFile[]
}

/** Reads dropped files and folders. Call it within the drop event: browsers clear the data afterwards. */
function droppedFiles({ items }: Pick<DataTransfer, 'items'>): Promise<Dropped> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return readEntries(entries)
}

async function readEntries(entries: FileSystemEntry[]): Promise<Dropped> {
  const files: DroppedFile[] = []
  for (const entry of entries) for await (const file of filesOf(entry)) files.push(file)
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
    // browsers return at most a hundred entries at a time
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return
    for (const child of batch) yield* filesOf(child)
  }
}

/** Files chosen for an import: one file, the parts of an export, or a folder. */
export interface ChosenFiles {
  kind: 'files' | 'folder'
  files: File[]
  /** Paths inside a folder, for files without a `webkitRelativePath`. */
  paths?: ReadonlyMap<File, string>
}

/** Total size in bytes. */
export const sizeOf = ({ files }: ChosenFiles): number => files.reduce((sum, { size }) => sum + size, 0)

/** True when the files can be merged into one import: a folder, a single file, or ZIP parts of an export. */
export function canMerge({ kind, files }: ChosenFiles): boolean {
  return kind === 'folder' || files.length < 2 || files.every(({ name }) => /\.zip$/i.test(name))
}

/** True for a single file, which is sent unchanged. */
export const isSingleFile = ({ kind, files }: ChosenFiles): boolean => kind === 'files' && files.length === 1

/** Combines the files into one file to send. @throws ZipProblem when a part isn't a ZIP file. */
export async function asOneFile({ kind, files, paths }: ChosenFiles, signal: AbortSignal): Promise<File> {
  const [first, second] = files
  if (first === undefined) throw new Error('no file was chosen')
  if (kind === 'folder') {
    const entries = files.map((file) => ({ path: paths?.get(file) ?? (file.webkitRelativePath || file.name), file }))
    const folder = entries[0]?.path.split('/')[0] || first.name
    const inOrder = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    return archiveFile(await createZip(inOrder, signal), `${folder}.zip`, files)
  }
  if (second === undefined) return first
  const inOrder = files.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
  return archiveFile(await mergeZips(inOrder), inOrder[0]?.name ?? first.name, files)
}

/** Gives the archive the modification time of its newest file, so that an interrupted upload is recognised and resumed. */
function archiveFile(archive: Blob, name: string, files: readonly File[]): File {
  const lastModified = files.reduce((newest, file) => Math.max(newest, file.lastModified), 0)
  return new File([archive], name, { type: 'application/zip', lastModified })
}

/** Picker for an export from another program: a file, all its parts, or a folder. */
export function ImportFiles({ source, selection, disabled, onChoose }: ImportFilesProps) {
  const text = useText('imports')
  const format = useFormat()
  const fileInput = useRef<HTMLInputElement>(null)
  const folderInput = useRef<HTMLInputElement>(null)
  const takesFolders = importsMedia(source) && 'webkitdirectory' in HTMLInputElement.prototype
  const [firstFile] = selection?.files ?? []
  const [isOver, setIsOver] = useState(false)
  const chooseDropped = async (transfer: DataTransfer) => {
    const { isFolder, files } = await droppedFiles(transfer)
    if (!isFolder) return files.length > 0 && onChoose({ kind: 'files', files: files.map(({ file }) => file) })
    const userFiles = files.filter(({ path }) => !isSystemFile(path))
    const paths = new Map(userFiles.map(({ file, path }) => [file, path]))
    onChoose({ kind: 'folder', files: [...paths.keys()], paths })
  }
  const drag = (event: DragEvent, isInside: boolean) => {
    event.preventDefault()
    setIsOver(isInside)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same as dropping
    <div
      className={classNames(
        canDrop && 'rounded-control border border-dashed p-3',
        isOver ? 'border-focus bg-accent-soft' : 'border-border-strong',
      )}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false)
        if (!disabled)
          chooseDropped(event.dataTransfer).catch((error) => console.error('Failed to read dropped files', error))
      }}
    >
      <input
        ref={fileInput}
        type="file"
        multiple={importsMedia(source)}
        accept=".zip,.json,application/zip,application/json"
        className="sr-only"
        aria-label={text('file')}
        tabIndex={-1}
        onChange={(event) => {
          const picked = [...(event.target.files ?? [])]
          // lets the same file be chosen again
          event.target.value = ''
          if (picked.length > 0) onChoose({ kind: 'files', files: picked })
        }}
      />
      {takesFolders && (
        <input
          ref={folderInput}
          type="file"
          {...{ webkitdirectory: '' }}
          className="sr-only"
          aria-label={text('chooseFolder')}
          tabIndex={-1}
          onChange={(event) => {
            const picked = [...(event.target.files ?? [])]
            event.target.value = ''
            onChoose({ kind: 'folder', files: picked.filter((file) => !isSystemFile(file.webkitRelativePath)) })
          }}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={<FolderOpen aria-hidden />} disabled={disabled} onClick={() => fileInput.current?.click()}>
          {text('chooseFile')}
        </Button>
        {takesFolders && (
          <Button icon={<FolderTree aria-hidden />} disabled={disabled} onClick={() => folderInput.current?.click()}>
            {text('chooseFolder')}
          </Button>
        )}
        <span className="min-w-40 flex-1 truncate text-13 text-muted">
          {selection === null || firstFile === undefined
            ? text(canDrop ? 'noFileDrop' : 'noFile')
            : selection.files.length === 1
              ? `${firstFile.name} · ${format.bytes(firstFile.size)}`
              : text('chosenMany', { count: selection.files.length, size: format.bytes(sizeOf(selection)) })}
        </span>
      </div>
    </div>
  )
}

interface ImportFilesProps {
  source: ImportSource
  selection: ChosenFiles | null
  disabled: boolean
  onChoose: (selection: ChosenFiles) => void
}
